// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device/device.h"
#include "core/graph/program.h"

#include <QString>

#include <cstdint>
#include <map>
#include <string>

namespace plimsoll::ui {

// How the window names ops, places and values of a program; the same everywhere.

/// "softmax" for "aten._softmax.default", "mul" for "aten.mul.Tensor".
[[nodiscard]] QString opTitle(const graph::Program& program, graph::OpId op);
/// "lm_head, backward": the last part of the module's path, or the op, and the phase.
[[nodiscard]] QString opPlace(const graph::Program& program, graph::OpId op);
/// "forward", "loss", "backward", "optimizer", translated.
[[nodiscard]] QString phaseText(graph::Phase phase);
/// The last parts of a module's path that fit a label: "h.6.attn" of "transformer.h.6.attn".
[[nodiscard]] QString pathEnd(const std::string& path);
/// "batch 16, sequence 512"
[[nodiscard]] QString sizesText(const std::map<std::string, std::int64_t>& sizes);
/// The same for all axes, of which those that aren't given have the program's size; empty for a
/// graph that was traced at one size only.
[[nodiscard]] QString sizeText(const graph::Program& program,
                               std::map<std::string, std::int64_t> sizes = {});
/// "transformer.wte.weight", or what computed it and where: "softmax, h.0.attn".
[[nodiscard]] QString storageTitle(const graph::Program& program, graph::StorageId storage);

/// "RTX 4070": for places where "GeForce RTX 4070" is too long.
[[nodiscard]] QString shortDeviceName(const plan::Device& device);

} // namespace plimsoll::ui
