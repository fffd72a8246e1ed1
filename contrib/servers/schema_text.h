/* Pieces of JSON Schema text, so that the tables of tools can be read. All arguments are string literals. */
#ifndef ASSAY_SERVERS_SCHEMA_TEXT_H
#define ASSAY_SERVERS_SCHEMA_TEXT_H

#define Q(word) "\"" word "\""

/* Up to nine pieces, commas between them. */
#define S_JOIN_1(a) a
#define S_JOIN_2(a, b) a "," b
#define S_JOIN_3(a, b, c) a "," b "," c
#define S_JOIN_4(a, b, c, d) a "," b "," c "," d
#define S_JOIN_5(a, b, c, d, e) a "," b "," c "," d "," e
#define S_JOIN_6(a, b, c, d, e, f) a "," b "," c "," d "," e "," f
#define S_JOIN_7(a, b, c, d, e, f, g) a "," b "," c "," d "," e "," f "," g
#define S_JOIN_8(a, b, c, d, e, f, g, h) a "," b "," c "," d "," e "," f "," g "," h
#define S_JOIN_9(a, b, c, d, e, f, g, h, i) a "," b "," c "," d "," e "," f "," g "," h "," i
#define S_TENTH(a, b, c, d, e, f, g, h, i, j, ...) j
#define S_JOIN(...)                                                                                                    \
	S_TENTH(__VA_ARGS__, S_JOIN_9, S_JOIN_8, S_JOIN_7, S_JOIN_6, S_JOIN_5, S_JOIN_4, S_JOIN_3, S_JOIN_2,           \
		S_JOIN_1, )                                                                                            \
	(__VA_ARGS__)

/* An object with these properties. required: S_JOIN(Q("a"), Q("b")), or "" for none. */
#define S_OBJECT(required, ...) S_OBJECT_OF(required, S_JOIN(__VA_ARGS__), "")
/* The schema of arguments: nothing but the given properties. */
#define S_INPUT(required, ...) S_OBJECT_OF(required, S_JOIN(__VA_ARGS__), ",\"additionalProperties\":false")
#define S_OBJECT_OF(required, properties, more)                                                                        \
	"{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required "]" more "}"

/* One property; `more` adds keywords. */
#define S_PROP(name, type, about, more) Q(name) ":{\"type\":" Q(type) ",\"description\":" Q(about) more "}"
#define S_STRING(name, about, more) S_PROP(name, "string", about, more)
#define S_INTEGER(name, about, more) S_PROP(name, "integer", about, more)
#define S_NUMBER(name, about, more) S_PROP(name, "number", about, more)
#define S_TRUTH(name, about) S_PROP(name, "boolean", about, "")
#define S_LIST(name, about, item) S_PROP(name, "array", about, ",\"items\":" item)
#define S_STRINGS(name, about) S_LIST(name, about, "{\"type\":\"string\"}")

#define S_RANGE(low, high) ",\"minimum\":" low ",\"maximum\":" high
#define S_SIZE(low, high) ",\"minLength\":" low ",\"maxLength\":" high
#define S_PATTERN(regex) ",\"pattern\":" Q(regex)
#define S_ENUM(values) ",\"enum\":[" values "]"
#define S_DEFAULT(value) ",\"default\":" value
#define S_EXAMPLE(value) ",\"examples\":[" value "]"

#endif
