import GraphQL

/// The change of a value in place into another, one step at a time: elements and fields that stay are not touched, and fields
/// that an edit does not know are kept where they are.
struct ValueUpdate {
    let file: FileSyntax
    /// Which fields of an object an edit knows.
    let isKnown: (String) -> Bool

    /// Makes one change towards the new value; false if there is nothing left to change.
    func step(from old: Syntax.Value, to new: ConstValue, in changes: inout Changes) -> Bool {
        if comparable(old.node) == comparable(new) { return false }
        switch new {
        case .list(let elements) where old.node.listValue != nil:
            return stepElements(from: old, to: elements, in: &changes)
        case .object(let fields) where old.node.objectFields != nil:
            return stepFields(
                from: old.fields, within: old.range, to: fields.map { ($0.name, $0.value) }, in: &changes)
        default: changes.replace(old.range, in: file.index, with: text(new, like: nil, at: old.range.lowerBound))
        }
        return true
    }

    /// Makes one change of the arguments of a directive or the fields of an object.
    func stepFields(
        from old: [Syntax.Argument], within range: Range<Int>, to new: [(name: String, value: ConstValue)],
        in changes: inout Changes
    ) -> Bool {
        let list = ItemList(file: file, range: range, items: old.map(\.range))
        var position = ItemList.Position.last
        for (name, value) in new {
            if let index = old.firstIndex(where: { $0.name.text == name }) {
                if step(from: old[index].value, to: value, in: &changes) { return true }
                position = .after(index)
            } else {
                list.insert(position, into: &changes) { spot in
                    "\(name): " + text(value, like: nil, at: range.lowerBound, indentation: spot.indentation)
                }
                return true
            }
        }
        let removed = old.firstIndex { argument in
            isKnown(argument.name.text) && !new.contains { $0.name == argument.name.text }
        }
        guard let removed else { return false }
        list.remove(removed, from: &changes)
        return true
    }

    /// Elements of a longest common subsequence stay. Between two of them, old elements become the new ones in order; what is
    /// left over is removed or inserted.
    private func stepElements(
        from old: Syntax.Value, to new: [ConstValue], in changes: inout Changes
    ) -> Bool {
        let list = ItemList(file: file, range: old.range, items: old.elements.map(\.range))
        let kept = Self.matches(old.elements.map { comparable($0.node) }, new.map(comparable))
        var (oldIndex, newIndex) = (0, 0)
        for (keptOld, keptNew) in kept + [(old.elements.count, new.count)] {
            while oldIndex < keptOld, newIndex < keptNew {
                if step(from: old.elements[oldIndex], to: new[newIndex], in: &changes) { return true }
                (oldIndex, newIndex) = (oldIndex + 1, newIndex + 1)
            }
            if oldIndex < keptOld {
                list.remove(oldIndex, from: &changes)
                return true
            }
            if newIndex < keptNew {
                let position: ItemList.Position = oldIndex > 0 ? .after(oldIndex - 1) : .first
                list.insert(position, into: &changes) { spot in
                    text(
                        new[newIndex], like: old.elements.first, at: old.range.lowerBound,
                        indentation: spot.indentation)
                }
                return true
            }
            (oldIndex, newIndex) = (keptOld + 1, keptNew + 1)
        }
        return false
    }

    /// A value without the fields that an edit does not know, and without an order of fields.
    private func comparable(_ value: ConstValue) -> ConstValue {
        switch value {
        case .list(let elements): .list(elements.map(comparable))
        case .object(let fields):
            .object(
                fields.filter { isKnown($0.name) }
                    .map { ConstObjectField(name: $0.name, value: comparable($0.value)) }
                    .sorted { $0.name < $1.name })
        default: value
        }
    }

    /// Maximum number of pairs of elements that a longest common subsequence compares. Longer lists are compared element by
    /// element.
    private static let comparedPairsMax = 10_000

    /// The indices of a longest common subsequence.
    static func matches(_ old: [ConstValue], _ new: [ConstValue]) -> [(Int, Int)] {
        guard old.count * new.count <= comparedPairsMax else { return [] }
        var lengths = Array(repeating: Array(repeating: 0, count: new.count + 1), count: old.count + 1)
        for row in old.indices.reversed() {
            for column in new.indices.reversed() {
                lengths[row][column] =
                    old[row] == new[column]
                    ? lengths[row + 1][column + 1] + 1 : max(lengths[row + 1][column], lengths[row][column + 1])
            }
        }
        var matches: [(Int, Int)] = []
        var (row, column) = (0, 0)
        while row < old.count, column < new.count {
            if old[row] == new[column] {
                matches.append((row, column))
                (row, column) = (row + 1, column + 1)
            } else if lengths[row + 1][column] >= lengths[row][column + 1] {
                row += 1
            } else {
                column += 1
            }
        }
        return matches
    }

    private func text(
        _ value: ConstValue, like example: Syntax.Value?, at offset: Int, indentation: String? = nil
    ) -> String {
        ValueText(file: file, newline: file.newline(at: offset))
            .text(value, like: example, indentation: indentation ?? file.indentation(at: offset))
    }
}
