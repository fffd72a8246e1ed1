# Build, check and install one plugin out of assay's tree. A Makefile sets PLUGIN (the module's name, such as
# scorer_mine) and SOURCES (.c or .cpp) and includes this file, whose place `pkg-config --variable=plugin_mk assay` tells.
# May be set as well: CC, CXX, CFLAGS, CXXFLAGS, LDLIBS, PKG_CONFIG, ASSAY, CHECKFLAGS (such as
# --valgrind), SANITIZE, DESTDIR.
PKG_CONFIG ?= pkg-config
ASSAY ?= $(shell $(PKG_CONFIG) --variable=assay assay)
CFLAGS ?= -O2 -g
CXXFLAGS ?= -O2 -g
assay_warnings = -Wall -Wextra
assay_flags := $(shell $(PKG_CONFIG) --cflags assay) -D_XOPEN_SOURCE=700 -fPIC -fvisibility=hidden
assay_plugindir := $(shell $(PKG_CONFIG) --variable=plugindir assay)
assay_objects = $(addprefix $(assay_out),$(patsubst %.cpp,%.o,$(SOURCES:.c=.o)))
# With a C++ source the C++ compiler links, so that its library is there.
assay_link = $(if $(filter %.cpp,$(SOURCES)),$(CXX) $(CXXFLAGS),$(CC) $(CFLAGS))

# make check SANITIZE=address,undefined: checks a build with these sanitizers of gcc or clang, in a folder of its own.
ifneq ($(SANITIZE),)
assay_runtime := $(firstword $(wildcard $(foreach name,libclang_rt.asan-$(shell uname -m).so libasan.so, \
	$(shell $(firstword $(assay_link)) -print-file-name=$(name)))))
assay_flags += -fsanitize=$(SANITIZE) -fno-omit-frame-pointer
assay_sanitize = -fsanitize=$(SANITIZE) $(if $(findstring clang,$(assay_runtime)),-shared-libsan)
assay_out = sanitized/
assay_check = LD_PRELOAD="$(assay_runtime)" ASAN_OPTIONS=detect_leaks=0
endif

# A module defines all it uses: everything of assay comes through the host table.
$(assay_out)$(PLUGIN).so: $(assay_objects)
	$(assay_link) $(assay_sanitize) -shared -Wl,-z,defs -Wl,-z,now -o $@ $^ $(LDFLAGS) $(LDLIBS)

$(assay_out)%.o: %.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(assay_warnings) $(assay_flags) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# Tables of operations grow: what a plugin leaves out is meant to be empty.
$(assay_out)%.o: %.cpp
	@mkdir -p $(@D)
	$(CXX) -std=c++20 $(assay_warnings) -Wno-missing-field-initializers $(assay_flags) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

check: $(assay_out)$(PLUGIN).so
	$(assay_check) $(ASSAY) plugins check $(CHECKFLAGS) ./$(assay_out)$(PLUGIN).so

install: $(PLUGIN).so
	mkdir -p "$(DESTDIR)$(assay_plugindir)"
	cp $(PLUGIN).so "$(DESTDIR)$(assay_plugindir)/$(PLUGIN).so"

uninstall:
	rm -f "$(DESTDIR)$(assay_plugindir)/$(PLUGIN).so"

clean:
	rm -rf $(PLUGIN).so $(assay_objects) sanitized

.DEFAULT_GOAL := $(assay_out)$(PLUGIN).so
.PHONY: check install uninstall clean
