/// One member of a selection set (spec §2.4).
public enum Selection: Sendable, BitwiseCopyable {
    case field(Field)
    case fragmentSpread(FragmentSpread)
    case inlineFragment(InlineFragment)

    /// Where it begins.
    public var offset: UInt32 {
        switch self {
        case .field(let field): field.offset
        case .fragmentSpread(let spread): spread.offset
        case .inlineFragment(let fragment): fragment.offset
        }
    }

    /// Its directives.
    public var directives: NodeRange<Directive> {
        switch self {
        case .field(let field): field.directives
        case .fragmentSpread(let spread): spread.directives
        case .inlineFragment(let fragment): fragment.directives
        }
    }
}
