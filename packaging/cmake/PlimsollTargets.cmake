# SPDX-License-Identifier: Apache-2.0
# The functions that declare core modules and UI modules; PlimsollTests.cmake has those of tests.

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

# plimsoll_allocator(target): a program whose allocations mimalloc serves: planners make and drop many small vectors, which takes
# a third less time than with the C library's. No call names it, so a linker that drops unused libraries has to be told.
function(plimsoll_allocator target)
    if(mimalloc_FOUND)
        target_link_libraries(${target} PRIVATE -Wl,--push-state,--no-as-needed mimalloc -Wl,--pop-state)
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
