import BigInt
import Synchronization

/// Powers modulo the prime of `SRPGroup`, in fewer multiplications than one bit at a time takes.
enum SRPPower {
    /// Counts the powers that a task computes; nil where nobody does.
    @TaskLocal static var counter: Counter?

    final class Counter: Sendable {
        private let value = Atomic(0)
        var count: Int { value.load(ordering: .relaxed) }
        fileprivate func add() { value.add(1, ordering: .relaxed) }
    }

    /// Bits of an exponent that are looked at together.
    private static let windowBits = 4
    /// Windows of an exponent of 256 bits.
    private static let windowCount = 64

    /// The generator to the power of each digit of each window, so that a power of it is a product of 64 numbers.
    private static let generatorPowers: [[BigUInt]] = {
        var powers: [[BigUInt]] = []
        var base = SRPGroup.generator
        for _ in 0..<windowCount {
            powers.append(smallPowers(of: base))
            base = powers[powers.count - 1][15] * base % SRPGroup.prime
        }
        return powers
    }()

    /// A number to the powers 0 to 15.
    private static func smallPowers(of base: BigUInt) -> [BigUInt] {
        var powers: [BigUInt] = [1]
        for _ in 1..<16 { powers.append(powers[powers.count - 1] * base % SRPGroup.prime) }
        return powers
    }

    /// The digits of an exponent, the lowest first.
    private static func digits(of exponent: BigUInt) -> [Int] {
        exponent.words.flatMap { word in
            stride(from: 0, to: UInt.bitWidth, by: windowBits).map { Int(word >> UInt($0) & 15) }
        }
    }

    /// The generator to a power of at most 256 bits.
    static func ofGenerator(_ exponent: BigUInt) -> BigUInt {
        counter?.add()
        var result: BigUInt = 1
        for (window, digit) in digits(of: exponent).enumerated() where digit > 0 {
            result = result * generatorPowers[window][digit] % SRPGroup.prime
        }
        return result
    }

    /// Any number to a power.
    static func power(_ base: BigUInt, _ exponent: BigUInt) -> BigUInt {
        counter?.add()
        let powers = smallPowers(of: base % SRPGroup.prime)
        var result: BigUInt = 1
        for digit in digits(of: exponent).reversed() {
            if result != 1 {
                for _ in 0..<windowBits { result = result * result % SRPGroup.prime }
            }
            if digit > 0 { result = result * powers[digit] % SRPGroup.prime }
        }
        return result
    }
}
