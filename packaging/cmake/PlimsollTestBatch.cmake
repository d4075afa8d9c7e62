# SPDX-License-Identifier: Apache-2.0
# cmake -DBATCH=out.cpp "-DFILES=a_test.cpp|b_test.cpp" -P PlimsollTestBatch.cmake
# Writes a source that includes some tests, each in a namespace of its own, so that their helpers may have the same names. Whatever they
# include comes before, at the top level; inside the namespaces these includes then find their guards.
string(REPLACE "|" ";" files "${FILES}")
set(includes "")
set(tests "")
foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME_WE)
    file(STRINGS "${file}" lines REGEX "^#include [<\"]")
    list(FILTER lines EXCLUDE REGEX "[.]moc\"")
    list(APPEND includes ${lines})
    string(APPEND tests "
#undef PLIMSOLL_TEST_NAME
#define PLIMSOLL_TEST_NAME \"${name}\"
namespace ${name}_file {
#include \"${file}\"
}
")
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
file(WRITE "${BATCH}" "// Written by PlimsollTestBatch.cmake.\n${includes}\n${tests}")
