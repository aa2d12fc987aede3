import JSON
import Tables

extension Completion {
    /// The fields of the item that a cursor stands on, braces included.
    mutating func completeObject(_ selection: ItemSelection, of cursor: Cursor) throws(StoreError) -> Bool {
        let (cells, keys) = (selection.cells, selection.keys)
        guard !cells.isEmpty else { return try completeObject(selection.fields, of: cursor) }
        var index = 0
        while true {
            let end = min(index + Self.fieldsPerSizeCheck, cells.count)
            while index < end {
                let cell = cells[index]
                defer { index += 1 }
                if cell.kind == .field, !selection.fields[index].isIncluded(scope.variables) { continue }
                writer.append(keys, in: cell.key)
                if write(cell, of: cursor) { continue }
                guard try completeField(selection.fields[index], of: cursor) else { return false }
            }
            if index == cells.count { break }
            try checkSize()
        }
        writer.append(UInt8(ascii: "}"))
        return true
    }

    /// Fields after which the size of the answer is looked at. One column may be selected under thousands of aliases, so
    /// that a single item outgrows any bound.
    private static var fieldsPerSizeCheck: Int { 16 }

    /// Writes a plain field's value. False, and nothing is written, where that is for the field to decide: the value is
    /// null, or out of bounds.
    private mutating func write(_ cell: ItemSelection.Cell, of cursor: Cursor) -> Bool {
        switch cell.kind {
        case .text: return cursor.cell(cell.position).withText { writer.writeString($0) }
        case .int, .long:
            let value = cursor.cell(cell.position)
            let integer = value.integer
            if integer == 0, value.isNull { return false }
            if cell.kind == .int, Int32(exactly: integer) == nil { return false }
            writer.write(integer)
        case .real:
            let value = cursor.cell(cell.position)
            if value.isNull { return false }
            writer.write(value.real)
        case .boolean:
            let value = cursor.cell(cell.position)
            if value.isNull { return false }
            writer.write(value.integer != 0)
        case .ready: break
        case .field: return false
        }
        return true
    }
}
