// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::readers::kineto {

/// Takes what a Splitter finds.
class Pieces
{
public:
    virtual ~Pieces() = default;
    /// One event: the text of a JSON object, followed by kPadding readable bytes.
    virtual void takeEvent(std::string_view text) = 0;
    /// A value beside the events, as JSON. Long ones are left out.
    virtual void takeValue(std::string_view key, std::string_view text) = 0;
    /// An element of the list of events that is no object.
    virtual void takeOther() = 0;
    /// Of what was kept, at most, within a few percent.
    [[nodiscard]] virtual std::size_t memoryBytes() const = 0;

protected:
    Pieces() = default;
    Pieces(const Pieces&) = default;
    Pieces& operator=(const Pieces&) = default;
};

/// Finds the events in a trace that comes in parts of any size, and holds one of them at a time.
/// It follows brackets and strings only: whether a piece is JSON is up to who takes it.
class Splitter
{
public:
    explicit Splitter(Pieces& pieces) : m_pieces{pieces} {}

    /// False: fault() tells why. Nothing may be fed after that.
    [[nodiscard]] bool feed(std::string_view part);
    [[nodiscard]] bool finish();
    /// "is not JSON: …", for a sentence that begins with the file and offset().
    [[nodiscard]] const std::string& fault() const { return m_fault; }
    [[nodiscard]] std::uint64_t offset() const { return m_offset; }
    [[nodiscard]] std::size_t memoryBytes() const { return m_piece.capacity(); }

    static constexpr std::size_t kDeepest = 128;
    static constexpr std::size_t kMostEventBytes = std::size_t{16} << 20U;
    static constexpr std::size_t kMostValueBytes = std::size_t{64} << 10U;

private:
    enum class Piece : std::uint8_t { None, Event, Key, Value };

    bool take(char c);
    bool open(char bracket);
    bool close(char bracket);
    bool beginString();
    void endString();
    void takeSeparator(char c);
    bool takeToken(char c);
    void begin(Piece piece);
    void end();
    /// Adds bytes to the piece that is being collected.
    bool append(std::string_view bytes);
    bool fail(std::string fault);
    [[nodiscard]] bool isAmongEvents() const
    {
        return m_eventDepth != 0 && m_brackets.size() == m_eventDepth;
    }
    [[nodiscard]] bool isInRoot() const { return m_brackets.size() == 1 && m_eventDepth != 1; }

    Pieces& m_pieces;
    std::string m_brackets;       ///< that are open
    std::size_t m_eventDepth = 0; ///< how many are open around each event; 0: not among them
    bool m_isInString = false;
    bool m_isEscaped = false;
    bool m_isDone = false;
    bool m_hasColon = false; ///< in the root: what comes is a value
    bool m_isOther = false;  ///< among events: within something else
    Piece m_collected = Piece::None;
    std::size_t m_pieceDepth = 0; ///< how many brackets were open where the piece began
    bool m_isTooLong = false;
    std::string m_piece;
    std::string m_key;
    std::uint64_t m_offset = 0;
    std::string m_fault;
};

} // namespace plimsoll::readers::kineto
