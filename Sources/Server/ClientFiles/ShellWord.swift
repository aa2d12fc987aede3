/// A word of a command that is ready to copy into a POSIX shell.
public enum ShellWord {
    /// The word as it is if the shell reads it literally, and otherwise in single quotes, between which no character is special
    /// (POSIX.1-2017, "Shell Command Language", "Single-Quotes"). A single quote ends them: it is written `'\''`.
    public static func quoted(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy(isPlain)
        return isPlain
            ? text : "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }

    /// Letters, digits and the signs that no shell treats specially inside a word.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"): true
        default: false
        }
    }
}
