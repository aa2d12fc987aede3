/// Whether a condition comes to hold within a minute or so.
func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<60_000 where !condition() { try? await Task.sleep(for: .milliseconds(1)) }
    return condition()
}
