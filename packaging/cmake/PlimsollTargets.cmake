# SPDX-License-Identifier: Apache-2.0
# The three functions that declare everything: core modules, UI modules, tests.

# plimsoll_precompiled(name WITH libraries... HEADERS headers... [DEFINITIONS names...]): a precompiled header for the targets that reuse it.
# Half of the time of a Qt source is parsing Qt's headers. The presets core-only and plain compile without: they find an
# include that is missing.
function(plimsoll_precompiled name)
    cmake_parse_arguments(ARG "" "" "WITH;HEADERS;DEFINITIONS" ${ARGN})
    set(source "${CMAKE_BINARY_DIR}/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// What carries the precompiled header.\n")
    add_library(${name} OBJECT "${source}")
    target_link_libraries(${name} PRIVATE plimsoll_options fmt::fmt tl::expected ${ARG_WITH})
    target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
    # Qt defines these as folders of each test; no test asks for them, and no two folders could share a header.
    target_compile_options(${name} PRIVATE -UQT_TESTCASE_BUILDDIR -UQT_TESTCASE_SOURCEDIR)
    target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

set(plimsoll_pch_standard <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span>
    <string> <utility> <vector> <fmt/format.h> <tl/expected.hpp>)

# plimsoll_unity(target): several sources at a time, which parse the same headers once. An edit compiles all sources of its batch
# anew: -DPLIMSOLL_UNITY=OFF suits work on one module.
function(plimsoll_unity target)
    if(PLIMSOLL_UNITY)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
    endif()
endfunction()

# plimsoll_module(name SOURCES files... DEPS libraries...): a static core library, no Qt.
function(plimsoll_module name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
    add_library(plimsoll_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(plimsoll_${name} PUBLIC plimsoll_options ${ARG_DEPS})
    plimsoll_precompiled_core(plimsoll_${name})
    plimsoll_unity(plimsoll_${name})
endfunction()

# plimsoll_precompiled_core(target): the standard headers precompiled for a target without Qt.
function(plimsoll_precompiled_core target)
    if(PLIMSOLL_PCH)
        if(NOT TARGET plimsoll_core_pch)
            plimsoll_precompiled(plimsoll_core_pch HEADERS ${plimsoll_pch_standard} <string_view> <limits> <numeric> <tuple>)
        endif()
        target_link_libraries(${target} PRIVATE fmt::fmt tl::expected)
        target_precompile_headers(${target} REUSE_FROM plimsoll_core_pch)
    endif()
endfunction()

# Definitions every Qt target gets. QT_NO_KEYWORDS because "slots" is a natural word in a memory planner.
function(plimsoll_qt_definitions target)
    target_compile_definitions(${target} PRIVATE
        QT_NO_KEYWORDS QT_NO_FOREACH QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_USE_QSTRINGBUILDER)
    set_target_properties(${target} PROPERTIES AUTOMOC ON AUTORCC ON)
endfunction()

# plimsoll_ui_module(name SOURCES files... DEPS libraries...): a static Qt Widgets library.
function(plimsoll_ui_module name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
    add_library(plimsoll_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(plimsoll_${name} PUBLIC plimsoll_options ${ARG_DEPS} Qt6::Core Qt6::Gui Qt6::Widgets)
    plimsoll_qt_definitions(plimsoll_${name})
    plimsoll_unity(plimsoll_${name})
    if(PLIMSOLL_PCH)
        if(NOT TARGET plimsoll_ui_pch)
            plimsoll_precompiled(plimsoll_ui_pch WITH Qt6::Core Qt6::Gui Qt6::Widgets
                DEFINITIONS QT_NO_KEYWORDS QT_NO_FOREACH QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_USE_QSTRINGBUILDER
                HEADERS ${plimsoll_pch_standard} <QAction> <QApplication> <QComboBox> <QFormLayout> <QHash> <QHeaderView>
                    <QKeyEvent> <QLabel> <QLineEdit> <QMainWindow> <QMenu> <QMouseEvent> <QPainter> <QPushButton>
                    <QScrollArea> <QStackedWidget> <QStringList> <QTableView> <QTimer> <QToolButton> <QVBoxLayout>)
        endif()
        target_precompile_headers(plimsoll_${name} REUSE_FROM plimsoll_ui_pch)
    endif()
endfunction()

# plimsoll_test(path/x_test.cpp LIBS libraries... [GUI] [LABEL label] [TIMEOUT seconds]): one QtTest program per tested file.
# The CTest label is the first folder below tests/ unless LABEL says otherwise; the target <label>_tests builds all of one.
function(plimsoll_test path)
    cmake_parse_arguments(ARG "GUI" "LABEL;TIMEOUT" "LIBS" ${ARGN})
    if(NOT PLIMSOLL_BUILD_TESTS OR (ARG_GUI AND NOT PLIMSOLL_BUILD_UI))
        return()
    endif()
    get_filename_component(name "${path}" NAME_WE)
    file(RELATIVE_PATH relative "${PROJECT_SOURCE_DIR}/tests" "${CMAKE_CURRENT_SOURCE_DIR}")
    string(REGEX REPLACE "/.*" "" label "${relative}")
    if(ARG_LABEL)
        set(label "${ARG_LABEL}")
    endif()
    add_executable(${name} "${path}")
    target_link_libraries(${name} PRIVATE plimsoll_options ${ARG_LIBS} Qt6::Core Qt6::Test)
    if(ARG_GUI)
        target_link_libraries(${name} PRIVATE Qt6::Widgets)
    endif()
    target_compile_definitions(${name} PRIVATE QT_NO_KEYWORDS QT_NO_FOREACH
        PLIMSOLL_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PLIMSOLL_BINARY_DIR="${PROJECT_BINARY_DIR}")
    # AUTOMOC would start CMake twice for each of these many programs; every one includes its own NAME.moc.
    qt6_generate_moc("${CMAKE_CURRENT_SOURCE_DIR}/${path}" "${CMAKE_CURRENT_BINARY_DIR}/${name}.moc")
    target_sources(${name} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/${name}.moc")
    target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    if(PLIMSOLL_PCH)
        if(ARG_GUI)
            set(pch plimsoll_gui_test_pch)
            set(pch_headers <QTest> <QSignalSpy> <QApplication> <QAction> <QLineEdit> <QTableView> <QWidget>)
            set(pch_libraries Qt6::Core Qt6::Test Qt6::Widgets)
        else()
            set(pch plimsoll_test_pch)
            set(pch_headers <QTest>)
            set(pch_libraries Qt6::Core Qt6::Test)
        endif()
        if(NOT TARGET ${pch})
            plimsoll_precompiled(${pch} WITH ${pch_libraries} DEFINITIONS QT_NO_KEYWORDS QT_NO_FOREACH HEADERS ${plimsoll_pch_standard} ${pch_headers})
        endif()
        target_link_libraries(${name} PRIVATE fmt::fmt tl::expected)
        target_compile_options(${name} PRIVATE -UQT_TESTCASE_BUILDDIR -UQT_TESTCASE_SOURCEDIR)
        target_precompile_headers(${name} REUSE_FROM ${pch})
    endif()
    if(NOT TARGET ${label}_tests)
        add_custom_target(${label}_tests)
    endif()
    add_dependencies(${label}_tests ${name})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 60)
    endif()
    if(PLIMSOLL_SANITIZE)
        math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 5")
    endif()
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${ARG_TIMEOUT}
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8")
endfunction()
