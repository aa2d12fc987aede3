import SchemaEdit

/// What a caller has seen of a plan: what it is about, and how much each step to accept loses.
///
/// As text: 16 hexadecimal digits, then for each step to accept a hyphen, 8 digits, and counts, for example
/// `9c1f0b7e2d4a6c88-3fa2c1d0.0.12`. Counts are numbers and no part of a hash, because less may be lost than was seen, and
/// not more: clients write between a plan and its deployment.
struct PlanHash: Sendable, Equatable {
    /// Of the files, those that they replace, the renames, and all steps that do not depend on what items hold.
    let identity: String
    /// Two counts of each step to accept, by the hash of what it does.
    private var losses: [String: [Int]] = [:]

    init(of parts: [String], losses: [(step: String, counts: [Int])]) {
        identity = Self.hash(parts)
        for (step, counts) in losses { self.losses[Self.hash(step)] = counts }
    }

    /// Reads the text; nil for what is none.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, first.utf8.count == 16, parts.count <= SchemaLimits.planStepsMax + 1 else {
            return nil
        }
        identity = String(first)
        for part in parts.dropFirst() {
            let fields = part.split(separator: ".", omittingEmptySubsequences: false)
            let counts = fields.dropFirst().compactMap { Int($0) }
            guard fields.count == 3, counts.count == 2 else { return nil }
            losses[String(fields[0])] = counts
        }
    }

    var text: String {
        losses.sorted { $0.key < $1.key }.reduce(into: identity) { text, step in
            text += "-\(step.key)" + step.value.map { ".\($0)" }.joined()
        }
    }

    /// What a step was said to lose.
    func losses(of step: String) -> [Int] { losses[Self.hash(step)] ?? [0, 0] }

    private static func hash(_ parts: [String]) -> String {
        SchemaText([SchemaFile(name: "plan", text: parts.joined(separator: "\n"))]).hash
    }

    private static func hash(_ step: String) -> String { String(hash([step]).prefix(8)) }
}
