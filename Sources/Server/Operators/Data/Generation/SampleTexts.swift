/// Texts that generated items have. Host names, addresses and telephone numbers belong to nobody (RFC 2606, RFC 5737, RFC 3849; numbers
/// of the North American plan from 555-0100 to 555-0199 are for fiction).
enum SampleTexts {
    static let firstNames = [
        "Ada", "Aiko", "Amara", "Anna", "Björn", "Carlos", "Chloé", "Daniel", "Elena", "Emeka", "Fatima", "Felix",
        "Grace",
        "Hana", "Ibrahim", "Ines", "Jakub", "Jonas", "Karim", "Lea", "Liam", "Lucía", "Maya", "Mehmet", "Nadia", "Noah",
        "Olga", "Priya", "Rafael", "Renée", "Samuel", "Sofia", "Tariq", "Tomás", "Uma", "Viktor", "Wei", "Yara",
        "Yusuf", "Zoe",
    ]
    static let lastNames = [
        "Adeyemi", "Almeida", "Andersen", "Bauer", "Bianchi", "Castro", "Chen", "Costa", "Dubois", "Fischer",
        "Fontaine", "García",
        "Haddad", "Hansen", "Ito", "Jensen", "Kaya", "Kim", "Kowalski", "Larsen", "Martin", "Mensah", "Moreau",
        "Müller", "Nguyen",
        "Novak", "Okafor", "Ōkubo", "Patel", "Petrov", "Rossi", "Santos", "Schmidt", "Silva", "Singh", "Tanaka",
        "Virtanen", "Weber",
        "Yılmaz", "Zhang",
    ]
    static let words = [
        "amber", "anchor", "apple", "autumn", "basket", "bridge", "candle", "canvas", "cedar", "cloud", "coast",
        "copper", "corner",
        "cotton", "dune", "early", "ember", "feather", "field", "forest", "garden", "glass", "granite", "harbour",
        "hazel", "hill",
        "island", "ivory", "lantern", "large", "lemon", "linen", "little", "maple", "market", "meadow", "mirror",
        "morning", "north",
        "ocean", "olive", "orchard", "paper", "pearl", "pebble", "quiet", "rain", "river", "saffron", "sand", "silver",
        "slow", "small",
        "south", "spring", "stone", "summer", "thunder", "valley", "velvet", "warm", "willow", "window", "winter",
    ]
    static let streets = [
        "Bridge Street", "Cedar Avenue", "Church Lane", "Garden Road", "Harbour Street", "High Street", "Hill Road",
        "King Street",
        "Lake Drive", "Market Square", "Mill Lane", "Oak Avenue", "Park Road", "River Walk", "Station Road",
        "Willow Close",
    ]
    static let cities = [
        "Accra", "Athens", "Bergen", "Bologna", "Brest", "Busan", "Cork", "Dresden", "Gdańsk", "Ghent", "Graz",
        "Halifax", "Izmir",
        "Kyoto", "Lagos", "Lima", "Lyon", "Malmö", "Montréal", "Nantes", "Oslo", "Porto", "Pune", "Quito", "Riga",
        "Seville", "Tallinn",
        "Tampere", "Turin", "Utrecht", "Wellington", "Zürich",
    ]
    static let countries = [
        "Argentina", "Brazil", "Canada", "Chile", "Denmark", "Estonia", "Finland", "France", "Germany", "Ghana",
        "Greece", "India",
        "Ireland", "Italy", "Japan", "Kenya", "Mexico", "Netherlands", "New Zealand", "Nigeria", "Norway", "Poland",
        "Portugal", "Spain",
        "Sweden", "Switzerland", "Türkiye", "Vietnam",
    ]
    static let companyForms = ["& Sons", "Group", "Industries", "Labs", "Partners", "Studio", "Works"]
    static let areaCodes = ["202", "212", "303", "312", "415", "503", "617", "702", "808", "919"]

    private static let plainFirstNames = plain(firstNames)
    private static let plainLastNames = plain(lastNames)

    private static func plain(_ names: [String]) -> [String] {
        names.filter { $0.utf8.allSatisfy { $0 < 0x80 } }.map { $0.lowercased() }
    }

    static func username(_ random: inout SeededRandom) -> String {
        "\(random.pick(plainFirstNames)).\(random.pick(plainLastNames))\(random.below(10_000))"
    }

    static func sentence(_ random: inout SeededRandom) -> String {
        let count = 3 + random.below(6)
        var words: [String] = []
        for _ in 0..<count { words.append(random.pick(SampleTexts.words)) }
        return capitalized(words.joined(separator: " ")) + "."
    }

    static func paragraph(_ random: inout SeededRandom) -> String {
        let count = 2 + random.below(4)
        var sentences: [String] = []
        for _ in 0..<count { sentences.append(sentence(&random)) }
        return sentences.joined(separator: " ")
    }

    static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    static func ipAddress(_ random: inout SeededRandom) -> String {
        let network = random.pick(["192.0.2.", "198.51.100.", "203.0.113.", "2001:db8::"])
        return network.hasSuffix(":")
            ? network + String(random.below(0x10000), radix: 16) : network + String(1 + random.below(254))
    }

    /// A random UUID (RFC 9562 §5.4).
    static func uuid(_ random: inout SeededRandom) -> String {
        let high = random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        let digits = hexadecimal(high, count: 16) + hexadecimal(low, count: 16)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map {
            String(digits.dropFirst($0.lowerBound).prefix($0.count))
        }
        .joined(separator: "-")
    }

    static func hexadecimal(_ number: UInt64, count: Int) -> String { padded(String(number, radix: 16), count: count) }

    static func padded(_ digits: String, count: Int) -> String {
        String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}
