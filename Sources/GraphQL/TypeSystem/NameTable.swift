/// Finds what a name stands for in a scope, by its bytes: no string is made of it, and no class is looked at.
///
/// Filled once, from the names of a schema; those who look names up choose none that is in it, so they cannot make its
/// searches longer.
struct NameTable: Sendable {
    /// Where a name means one thing: a type with its fields, a field with its arguments.
    typealias Scope = UInt32

    private struct Entry: BitwiseCopyable {
        let scope: Scope
        let name: Name
        let ends: NameEnds
        let number: UInt32
    }

    /// The texts of the names.
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// By hash, the positions of entries from 1; 0 is free. A power of two, and at least half of them are free.
    private var slots: [UInt32] = [0, 0]

    /// Gives a name a place here, by which it can be inserted and compared.
    mutating func append(_ text: String) -> Name {
        let name = Name(start: UInt32(bytes.count), count: UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
        return name
    }

    /// Gives a name in a scope its number; one that has a number there keeps it.
    ///
    /// Memory safety: the array outlives its span, which checks the range.
    mutating func insert(_ name: Name, in scope: Scope, number: UInt32) {
        guard unsafe self.number(of: bytes.span.bytes.extracting(name.indices), in: scope) == nil else { return }
        let ends = unsafe bytes.span.bytes.extracting(name.indices).ends
        entries.append(Entry(scope: scope, name: name, ends: ends, number: number))
        if entries.count * 2 > slots.count {
            slots = Array(repeating: 0, count: slots.count * 2)
            for position in entries.indices { place(position) }
        } else {
            place(entries.count - 1)
        }
    }

    /// The number that a name has in a scope.
    func number(of name: RawSpan, in scope: Scope) -> UInt32? {
        let ends = name.ends
        var slot = Int(truncatingIfNeeded: name.hash(ends, seed: scope)) & (slots.count &- 1)
        while slots[slot] != 0 {
            let entry = entries[Int(slots[slot]) &- 1]
            if entry.scope == scope, Int(entry.name.count) == name.byteCount, entry.ends == ends,
                name.byteCount <= NameEnds.bytesMax || isEqual(entry.name, name)
            {
                return entry.number
            }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        return nil
    }

    /// The text at a place that `append` gave.
    func text(of name: Name) -> String { String(decoding: bytes[name.indices], as: UTF8.self) }

    /// Whether the text at a place that `append` gave is this one.
    ///
    /// Memory safety: the array outlives its span, which checks the range.
    func isEqual(_ name: Name, _ other: RawSpan) -> Bool {
        unsafe bytes.span.bytes.extracting(name.indices).isEqual(to: other)
    }

    // Memory safety: the array outlives its span, which checks the range.
    private mutating func place(_ position: Int) {
        let entry = entries[position]
        let hash = unsafe bytes.span.bytes.extracting(entry.name.indices).hash(entry.ends, seed: entry.scope)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(position + 1)
    }
}
