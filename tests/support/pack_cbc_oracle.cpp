// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pack_cbc_oracle.h"

#include <Cbc_C_Interface.h>

#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace plimsoll::tests {

namespace {

using solve::PackBuffer;
using solve::PackBuffers;

/// Columns: the height, then the buffers' offsets, then one binary for each two that meet. Offsets
/// needn't be whole: with the binaries fixed, the lowest ones are sums of sizes.
class Packing
{
public:
    explicit Packing(const PackBuffers& buffers)
        : m_buffers{buffers}, m_model{Cbc_newModel(), Cbc_deleteModel}
    {
        double all = 0;
        for (const PackBuffer& buffer : buffers)
            all += static_cast<double>(buffer.size);
        addColumn(static_cast<double>(solve::largestLiveSum(buffers)), all, 1, false);
        for (const PackBuffer& buffer : buffers)
            addColumn(0, all - static_cast<double>(buffer.size), 0, false);
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            // offset + size <= height
            addRow<2>({offset(i), 0}, {1, -1}, -static_cast<double>(buffers[i].size));
            for (std::size_t j = 0; j < i; ++j)
                if (buffers[i].lower < buffers[j].upper && buffers[j].lower < buffers[i].upper)
                    separate(i, j, all);
        }
    }

    PackCbcAnswer solve(int mostSeconds)
    {
        Cbc_setLogLevel(m_model.get(), 0);
        Cbc_setParameter(m_model.get(), "log", "0");
        Cbc_setParameter(m_model.get(), "allowableGap", "0.9"); // heights are whole
        Cbc_setParameter(m_model.get(), "ratioGap", "0");
        Cbc_setParameter(m_model.get(), "seconds", std::to_string(mostSeconds).c_str());
        PackCbcAnswer answer;
        const auto begin = std::chrono::steady_clock::now();
        Cbc_solve(m_model.get());
        answer.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (Cbc_isProvenOptimal(m_model.get()) != 0)
            answer.height = std::llround(Cbc_getObjValue(m_model.get()));
        return answer;
    }

private:
    [[nodiscard]] static int offset(std::size_t buffer) { return static_cast<int>(buffer) + 1; }

    int addColumn(double lower, double upper, double cost, bool isInteger)
    {
        Cbc_addCol(m_model.get(), "", lower, upper, cost, isInteger ? 1 : 0, 0, nullptr, nullptr);
        return m_columns++;
    }

    /// The sum is at most `right`.
    template <std::size_t N>
    void addRow(const std::array<int, N>& columns, const std::array<double, N>& factors,
                double right)
    {
        Cbc_addRow(m_model.get(), "", static_cast<int>(N), columns.data(), factors.data(), 'L',
                   right);
    }

    /// One of them ends below the other: i below j where the binary is 1.
    void separate(std::size_t i, std::size_t j, double all)
    {
        const int below = addColumn(0, 1, 0, true);
        const auto iSize = static_cast<double>(m_buffers[i].size);
        const auto jSize = static_cast<double>(m_buffers[j].size);
        addRow<3>({offset(i), offset(j), below}, {1, -1, all}, all - iSize);
        addRow<3>({offset(j), offset(i), below}, {1, -1, -all}, -jSize);
    }

    const PackBuffers& m_buffers;
    std::unique_ptr<Cbc_Model, void (*)(Cbc_Model*)> m_model;
    int m_columns = 0;
};

} // namespace

PackCbcAnswer packWithCbc(const PackBuffers& buffers, int mostSeconds)
{
    return Packing{buffers}.solve(mostSeconds);
}

} // namespace plimsoll::tests
