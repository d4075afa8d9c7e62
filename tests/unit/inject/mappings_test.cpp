// SPDX-License-Identifier: Apache-2.0
#include "app/inject/mappings.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <vector>

using namespace plimsoll;
using capture::wire::Mapping;
using capture::wire::MappingOperation;

namespace {

template <typename Arguments>
Mapping noted(CUpti_CallbackId function, Arguments arguments)
{
    inject::Mappings mappings;
    CUpti_CallbackData data{};
    data.functionParams = &arguments;
    data.correlationId = 77;
    mappings.note(function, data, 5);
    const std::vector<Mapping> all = mappings.take();
    return all.size() == 1 && mappings.take().empty() ? all[0] : Mapping{};
}

class MappingsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void takesWhatEachFunctionIsGiven();
    void memoryOfTheHostHasNoDevice();
    void leavesOtherFunctions();
};

void MappingsTest::takesWhatEachFunctionIsGiven()
{
    CUdeviceptr address = 0x1000;
    CUmemGenericAllocationHandle handle = 9;
    CUmemAllocationProp property{};
    property.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    property.location.id = 1;
    const Mapping reserved = noted(CUPTI_DRIVER_TRACE_CBID_cuMemAddressReserve,
                                   cuMemAddressReserve_params{&address, 64, 0, 0, 0});
    QCOMPARE(reserved.operation, MappingOperation::Reserve);
    QCOMPARE(reserved.address, std::uint64_t{0x1000});
    QCOMPARE(reserved.bytes, std::uint64_t{64});
    QCOMPARE(reserved.time, std::uint64_t{5});
    QCOMPARE(reserved.correlation, 77U);
    QVERIFY(reserved.thread != 0);
    const Mapping made =
        noted(CUPTI_DRIVER_TRACE_CBID_cuMemCreate, cuMemCreate_params{&handle, 32, &property, 0});
    QCOMPARE(made.operation, MappingOperation::Create);
    QCOMPARE(made.device, 1U);
    QCOMPARE(made.handle, std::uint64_t{9});
    QCOMPARE(made.bytes, std::uint64_t{32});
    const Mapping mapped =
        noted(CUPTI_DRIVER_TRACE_CBID_cuMemMap, cuMemMap_params{0x1000, 32, 4, 9, 0});
    QCOMPARE(mapped.operation, MappingOperation::Map);
    QCOMPARE(mapped.offset, std::uint64_t{4});
    QCOMPARE(mapped.handle, std::uint64_t{9});
    QCOMPARE(noted(CUPTI_DRIVER_TRACE_CBID_cuMemUnmap, cuMemUnmap_params{0x1000, 32}).operation,
             MappingOperation::Unmap);
    QCOMPARE(noted(CUPTI_DRIVER_TRACE_CBID_cuMemRelease, cuMemRelease_params{9}).handle,
             std::uint64_t{9});
    QCOMPARE(
        noted(CUPTI_DRIVER_TRACE_CBID_cuMemAddressFree, cuMemAddressFree_params{0x1000, 64}).bytes,
        std::uint64_t{64});
}

void MappingsTest::memoryOfTheHostHasNoDevice()
{
    CUmemGenericAllocationHandle handle = 9;
    CUmemAllocationProp property{};
    property.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
    const Mapping made =
        noted(CUPTI_DRIVER_TRACE_CBID_cuMemCreate, cuMemCreate_params{&handle, 32, &property, 0});
    QCOMPARE(made.device, capture::wire::kNone);
}

void MappingsTest::leavesOtherFunctions()
{
    inject::Mappings mappings;
    mappings.note(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, CUpti_CallbackData{}, 5);
    QVERIFY(mappings.take().empty());
    QCOMPARE(mappings.dropped(), std::uint64_t{0});
}

} // namespace

PLIMSOLL_TEST(MappingsTest, tests::NoApplication)
#include "mappings_test.moc"
