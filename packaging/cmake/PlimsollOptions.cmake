# SPDX-License-Identifier: Apache-2.0
# Build options and the interface target that every module links: C++20, include root, warnings, sanitizers.

option(PLIMSOLL_BUILD_UI "Build the Qt application" ON)
option(PLIMSOLL_BUILD_INJECT "Build the library that records CUDA programs (needs CUPTI's headers)" ON)
option(PLIMSOLL_BUILD_TESTS "Build the tests (needs Qt6 Core and Test)" ON)
option(PLIMSOLL_BUILD_BENCH "Build the benchmarks (needs Google Benchmark)" ON)
option(PLIMSOLL_BUILD_FUZZ "Build the fuzz targets (needs clang)" OFF)
option(PLIMSOLL_PCH "Precompile Qt's and the standard headers" OFF)
option(PLIMSOLL_UNITY "Compile several sources of a module at a time" OFF)
option(PLIMSOLL_WERROR "Treat warnings as errors" OFF)
set(PLIMSOLL_SANITIZE "" CACHE STRING "Sanitizers, comma separated: address,undefined or thread")
set(PLIMSOLL_SANITIZE_WITHOUT "" CACHE STRING "Checks of these sanitizers to leave out, comma separated")

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

find_program(PLIMSOLL_CCACHE ccache)
if(PLIMSOLL_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${PLIMSOLL_CCACHE}")
endif()
find_program(PLIMSOLL_MOLD mold)

add_library(plimsoll_options INTERFACE)
target_compile_features(plimsoll_options INTERFACE cxx_std_20)
target_include_directories(plimsoll_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(plimsoll_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wdouble-promotion -Wformat=2)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # At -O3 GCC 12 reports false paths of -Wnull-dereference and -Wrestrict inside its own headers and, where these are
    # precompiled, overflows of strings and arrays that can't happen. The address sanitizer looks for real ones.
    target_compile_options(plimsoll_options INTERFACE
        -Wduplicated-cond -Wlogical-op -Wno-restrict
        $<$<CONFIG:Debug>:-Wnull-dereference>
        $<$<CONFIG:Release>:-Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds>)
endif()
set(plimsoll_without_checks "")
if(PLIMSOLL_SANITIZE_WITHOUT)
    set(plimsoll_without_checks "-fno-sanitize=${PLIMSOLL_SANITIZE_WITHOUT}")
endif()
if(PLIMSOLL_SANITIZE)
    # Instrumentation lets GCC 12 see uses of values that it can't prove initialised: no errors from that.
    target_compile_options(plimsoll_options INTERFACE
        "-fsanitize=${PLIMSOLL_SANITIZE}" ${plimsoll_without_checks} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(plimsoll_options INTERFACE "-fsanitize=${PLIMSOLL_SANITIZE}")
elseif(PLIMSOLL_WERROR)
    target_compile_options(plimsoll_options INTERFACE -Werror)
endif()
if(PLIMSOLL_MOLD)
    target_link_options(plimsoll_options INTERFACE -fuse-ld=mold)
endif()
