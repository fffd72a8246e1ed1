# Build, check and install one plugin out of assay's tree. A Makefile sets PLUGIN (the module's name, such as
# scorer_mine) and SOURCES (.c or .cpp) and includes this file, whose place `pkg-config --variable=plugin_mk assay` tells.
# May be set as well: CC, CXX, CFLAGS, CXXFLAGS, LDLIBS, PKG_CONFIG, ASSAY, CHECKFLAGS (such as --valgrind), DESTDIR.
PKG_CONFIG ?= pkg-config
ASSAY ?= $(shell $(PKG_CONFIG) --variable=assay assay)
CFLAGS ?= -O2 -g
CXXFLAGS ?= -O2 -g
assay_warnings = -Wall -Wextra
assay_flags := $(shell $(PKG_CONFIG) --cflags assay) -D_XOPEN_SOURCE=700 -fPIC -fvisibility=hidden
assay_plugindir := $(shell $(PKG_CONFIG) --variable=plugindir assay)
assay_objects = $(patsubst %.cpp,%.o,$(SOURCES:.c=.o))
# With a C++ source the C++ compiler links, so that its library is there.
assay_link = $(if $(filter %.cpp,$(SOURCES)),$(CXX) $(CXXFLAGS),$(CC) $(CFLAGS))

# A module defines all it uses: everything of assay comes through the host table.
$(PLUGIN).so: $(assay_objects)
	$(assay_link) -shared -Wl,-z,defs -Wl,-z,now -o $@ $^ $(LDFLAGS) $(LDLIBS)

%.o: %.c
	$(CC) -std=c11 $(assay_warnings) $(assay_flags) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# Tables of operations grow: what a plugin leaves out is meant to be empty.
%.o: %.cpp
	$(CXX) -std=c++20 $(assay_warnings) -Wno-missing-field-initializers $(assay_flags) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $<

check: $(PLUGIN).so
	$(ASSAY) plugins check $(CHECKFLAGS) ./$(PLUGIN).so

install: $(PLUGIN).so
	mkdir -p "$(DESTDIR)$(assay_plugindir)"
	cp $(PLUGIN).so "$(DESTDIR)$(assay_plugindir)/$(PLUGIN).so"

uninstall:
	rm -f "$(DESTDIR)$(assay_plugindir)/$(PLUGIN).so"

clean:
	rm -f $(PLUGIN).so $(assay_objects)

.DEFAULT_GOAL := $(PLUGIN).so
.PHONY: check install uninstall clean
