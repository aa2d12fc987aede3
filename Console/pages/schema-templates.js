// Starting points of a new project, as Amplify's tutorials have them.

const rules = "@auth(rules: [{ allow: public }])";

/** @type {Record<string, string>} */
export const TEMPLATES = {
  todo: `type Todo @model ${rules} {
  id: ID!
  name: String!
  description: String
  done: Boolean
}
`,
  booking: `type User @model ${rules} {
  id: ID!
  username: String!
}

type Room @model ${rules} {
  id: ID!
  description: String!
  city: String!
  price: Int!
  imageKey: String!
}

type Booking @model ${rules} {
  id: ID!
  room: Room! @connection
  guestId: ID!
  checkInDate: AWSDate!
  checkOutDate: AWSDate!
}
`,
  chat: `type User @model ${rules} {
  id: ID!
  username: String!
  messages: [Message] @connection(keyName: "byAuthor", fields: ["id"])
}

type Thread @model ${rules} {
  id: ID!
  name: String!
  messages: [Message] @connection(keyName: "byThread", fields: ["id"])
}

type Message
  @model
  ${rules}
  @key(name: "byThread", fields: ["threadID", "createdAt"], queryField: "messagesByThread")
  @key(name: "byAuthor", fields: ["authorID", "createdAt"])
{
  id: ID!
  threadID: ID!
  thread: Thread @connection(fields: ["threadID"])
  authorID: ID!
  author: User @connection(fields: ["authorID"])
  body: String!
  createdAt: AWSDateTime!
}
`,
  landmarks: `enum Category {
  LAKES
  RIVERS
  MOUNTAINS
}

type Coordinates {
  latitude: Float
  longitude: Float
}

type Landmark @model ${rules} {
  id: ID!
  name: String!
  category: Category
  park: String
  state: String
  isFeatured: Boolean
  isFavorite: Boolean
  imageName: String
  coordinates: Coordinates
}
`,
  cashflow: `enum Direction {
  IN
  OUT
}

type Account @model ${rules} {
  id: ID!
  name: String!
  entries: [Entry] @connection(keyName: "byAccount", fields: ["id"])
}

type Entry @model ${rules} @key(name: "byAccount", fields: ["accountID", "date"], queryField: "entriesByAccount") {
  id: ID!
  accountID: ID!
  account: Account @connection(fields: ["accountID"])
  date: AWSDate!
  amount: Float!
  direction: Direction!
  note: String
}
`,
};
