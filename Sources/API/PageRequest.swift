import Tables

/// The arguments of a list, a query field or a connection to many, understood: which page is asked for.
struct PageRequest {
    /// Nil reads the whole table in creation order.
    var partitionKey: Operand?
    var sort: SortCondition?
    var isDescending = false
    var limit: Int
    var after: Position?
    var filter: ParameterizedCondition?

    /// Whether no partition key was given: the table is read in creation order, whatever the key.
    var isScan: Bool { partitionKey == nil }
}

extension Operand {
    /// The operand as a value of its own.
    var value: Value {
        switch self {
        case .value(let value): value
        case .column(let cursor, let position): cursor.value(position)
        }
    }
}

extension Position {
    /// The position inside a token: the row number, then the sort key's kind and bytes.
    var tokenBytes: [UInt8] {
        var bytes: [UInt8] = []
        func append(_ word: UInt64) {
            unsafe withUnsafeBytes(of: word.littleEndian) { unsafe bytes.append(contentsOf: $0) }
        }
        append(UInt64(bitPattern: rowID))
        switch sort {
        case nil: break
        case .null: bytes.append(0)
        case .integer(let integer):
            bytes.append(1)
            append(UInt64(bitPattern: integer))
        case .real(let double):
            bytes.append(2)
            append(double.bitPattern)
        case .text(let text):
            bytes.append(3)
            bytes.append(contentsOf: text.utf8)
        }
        return bytes
    }

    init?(tokenBytes bytes: [UInt8]) {
        // Memory safety: eight bytes from `offset` are there.
        func word(at offset: Int) -> UInt64? {
            guard bytes.count >= offset + 8 else { return nil }
            return unsafe bytes.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
            }
        }
        guard let row = word(at: 0) else { return nil }
        var sort: Value?
        if bytes.count > 8 {
            switch bytes[8] {
            case 0: sort = .null
            case 1:
                guard let integer = word(at: 9) else { return nil }
                sort = .integer(Int64(bitPattern: integer))
            case 2:
                guard let double = word(at: 9) else { return nil }
                sort = .real(Double(bitPattern: double))
            case 3: sort = .text(String(decoding: bytes[9...], as: UTF8.self))
            default: return nil
            }
        }
        self.init(sort: sort, rowID: Int64(bitPattern: row))
    }
}
