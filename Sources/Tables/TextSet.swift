internal import JSON

/// Texts without duplicates, such as the groups of a caller, among which a text is found in a time that does not depend on
/// how many there are.
///
/// A caller may have thousands of groups, and a condition compares them with every row. So they are hashed once and shared
/// by all conditions of the caller.
public final class TextSet: Sendable {
    /// The texts, in the order given.
    public let texts: [String]
    /// The texts as a JSON list: what a statement is given of them, as one parameter.
    let json: String
    /// The bytes of all texts, one after the other, and where each ends.
    private let bytes: [UInt8]
    private let ends: [Int32]
    /// A hash table with open addresses, at most half full: the number of a text, from 1, or 0.
    private let slots: [Int32]
    /// The hash of all texts.
    private let digest: Int

    /// The set of some texts; if some are equal, the first one is used.
    public convenience init(texts: [String]) { self.init(texts: texts, json: nil) }

    /// - Parameter json: The same texts as a JSON list, if that is known.
    init(texts: [String], json: String?) {
        var (kept, bytes, ends): ([String], [UInt8], [Int32]) = ([], [], [])
        var slots = [Int32](repeating: 0, count: Self.slotCount(for: texts.count))
        var hasher = Hasher()
        for var text in texts {
            let isNew = text.withUTF8 { text in
                let text = UnsafeRawBufferPointer(text)
                let slot = unsafe Self.slot(of: text, in: slots, bytes, ends)
                guard slots[slot] == 0 else { return false }
                unsafe bytes.append(contentsOf: text)
                ends.append(Int32(truncatingIfNeeded: bytes.count))
                slots[slot] = Int32(truncatingIfNeeded: ends.count)
                return true
            }
            guard isNew else { continue }
            kept.append(text)
            text.hashBytes(into: &hasher)
        }
        self.texts = kept
        (self.bytes, self.ends, self.slots, digest) = (bytes, ends, slots, hasher.finalize())
        self.json = json ?? JSONValue.array(kept.map(JSONValue.string)).description
    }

    /// The set of the texts among some values.
    public convenience init(_ values: [Value]) {
        self.init(texts: values.compactMap { if case .text(let text) = $0 { text } else { nil } })
    }

    /// Bytes of memory that the set takes, roughly.
    public var byteCount: Int { 128 + 2 * bytes.count + json.utf8.count + 24 * texts.count + 4 * slots.count }

    /// Whether a text is in the set, by its bytes.
    ///
    /// Memory safety: the bytes are borrowed for the call.
    public func contains(_ text: UnsafeRawBufferPointer) -> Bool {
        unsafe slots[Self.slot(of: text, in: slots, bytes, ends)] != 0
    }

    /// Whether a text is in the set, by its bytes.
    public func contains(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { unsafe contains(UnsafeRawBufferPointer($0)) }
    }

    /// Whether a value is one of the texts.
    public func contains(_ value: Value) -> Bool {
        if case .text(let text) = value { contains(text) } else { false }
    }

    /// A power of two.
    private static func slotCount(for count: Int) -> Int {
        var slotCount = 4
        while slotCount < 2 * count { slotCount *= 2 }
        return slotCount
    }

    /// Where a text is, or where there is room for it.
    private static func slot(
        of text: UnsafeRawBufferPointer, in slots: [Int32], _ bytes: [UInt8], _ ends: [Int32]
    ) -> Int {
        var hasher = Hasher()
        unsafe hasher.combine(bytes: text)
        var slot = hasher.finalize() & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            let range = (number == 0 ? 0 : Int(ends[number - 1]))..<Int(ends[number])
            if range.count == text.count, unsafe bytes[range].elementsEqual(text) { return slot }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }
}

extension TextSet: Hashable {
    /// Whether both have the same texts in the same order.
    public static func == (left: TextSet, right: TextSet) -> Bool {
        left === right || left.digest == right.digest && left.ends == right.ends && left.bytes == right.bytes
    }

    /// Hashes the set, in a time that does not depend on its texts.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
