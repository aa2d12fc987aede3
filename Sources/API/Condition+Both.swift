import Tables

/// In this target a condition is one on items; the GraphQL target's, of `@skip` and `@include`, stays inside it.
typealias Condition = Tables.Condition

extension Condition {
    /// Both must hold; a missing one asks nothing.
    static func both(_ first: Condition?, _ second: Condition?) -> Condition? {
        switch (first, second) {
        case (let first?, let second?): .and([first, second])
        case (let condition?, nil), (nil, let condition?): condition
        case (nil, nil): nil
        }
    }
}
