// SPDX-License-Identifier: Apache-2.0
// cuBLAS and cuBLASLt: handles and settings. What would compute is generated (entry_points.py) and
// computes nothing.
#include <cstdint>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <new>

namespace {

constexpr std::size_t kLtVersion = 130200;

struct Handle
{
    cublasMath_t math = CUBLAS_DEFAULT_MATH;
    cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
};

Handle& of(cublasHandle_t handle)
{
    return *reinterpret_cast<Handle*>(handle);
}

/// Opaque descriptions of cuBLASLt: nothing reads them.
template <typename Description>
cublasStatus_t make(Description* description)
{
    *description = static_cast<Description>(::operator new(sizeof(**description)));
    **description = {};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t destroy(void* description)
{
    ::operator delete(description);
    return CUBLAS_STATUS_SUCCESS;
}

} // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle)
{
    *handle = reinterpret_cast<cublasHandle_t>(new Handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    delete &of(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t /*handle*/, cudaStream_t /*stream*/)
{
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t /*handle*/, void* /*workspace*/,
                                     std::size_t /*bytes*/)
{
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetSmCountTarget(cublasHandle_t /*handle*/, int /*count*/)
{
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode)
{
    *mode = of(handle).math;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    of(handle).math = mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode)
{
    *mode = of(handle).pointers;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode)
{
    of(handle).pointers = mode;
    return CUBLAS_STATUS_SUCCESS;
}

std::size_t cublasLtGetVersion()
{
    return kLtVersion;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle)
{
    *handle = reinterpret_cast<cublasLtHandle_t>(new Handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description,
                                        cublasComputeType_t /*compute*/, cudaDataType_t /*scale*/)
{
    return make(description);
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description)
{
    return destroy(description);
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t /*description*/,
                                              cublasLtMatmulDescAttributes_t /*attribute*/,
                                              const void* /*value*/, std::size_t /*bytes*/)
{
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType /*type*/,
                                          std::uint64_t /*rows*/, std::uint64_t /*columns*/,
                                          std::int64_t /*stride*/)
{
    return make(layout);
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    return destroy(layout);
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t /*layout*/,
                                                cublasLtMatrixLayoutAttribute_t /*attribute*/,
                                                const void* /*value*/, std::size_t /*bytes*/)
{
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference)
{
    return make(preference);
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    return destroy(preference);
}

cublasStatus_t
cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t /*preference*/,
                                     cublasLtMatmulPreferenceAttributes_t /*attribute*/,
                                     const void* /*value*/, std::size_t /*bytes*/)
{
    return CUBLAS_STATUS_SUCCESS;
}

/// One algorithm, which needs no workspace: PyTorch takes none as a failure.
cublasStatus_t
cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t /*handle*/, cublasLtMatmulDesc_t /*description*/,
                               cublasLtMatrixLayout_t /*a*/, cublasLtMatrixLayout_t /*b*/,
                               cublasLtMatrixLayout_t /*c*/, cublasLtMatrixLayout_t /*d*/,
                               cublasLtMatmulPreference_t /*preference*/, int /*wanted*/,
                               cublasLtMatmulHeuristicResult_t* results, int* count)
{
    *results = {};
    results->state = CUBLAS_STATUS_SUCCESS;
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t /*handle*/, cublasLtMatmulDesc_t /*description*/,
                              const void* /*alpha*/, const void* /*a*/,
                              cublasLtMatrixLayout_t /*aLayout*/, const void* /*b*/,
                              cublasLtMatrixLayout_t /*bLayout*/, const void* /*beta*/,
                              const void* /*c*/, cublasLtMatrixLayout_t /*cLayout*/, void* /*d*/,
                              cublasLtMatrixLayout_t /*dLayout*/,
                              const cublasLtMatmulAlgo_t* /*algorithm*/, void* /*workspace*/,
                              std::size_t /*bytes*/, cudaStream_t /*stream*/)
{
    return CUBLAS_STATUS_SUCCESS;
}

} // extern "C"
