import type { Format } from "../model/declare.ts";
import {
  andThen,
  byKind,
  type Decoded,
  type Decoder,
  described,
  list,
  object,
  oneOf,
  optional,
  required,
  text,
} from "../yaml/decode.ts";

const word = described(
  andThen(text, (written, cursor) => (written.trim() === "" ? cursor.fault(`${cursor.name} is empty.`) : written), {
    type: "string",
    pattern: "\\S",
  }),
  "A text that is not blank. Quote it if YAML would read a number or a boolean.",
);

/** A text of a certain form; `form` says which, such as `an e-mail address`. */
function wordLike(pattern: RegExp, form: string): Decoder<string> {
  return andThen(
    word,
    (written, cursor) => (pattern.test(written) ? written : cursor.fault(`${cursor.name} must be ${form}.`)),
    { type: "string", pattern: pattern.source },
  );
}

const email = described(wordLike(/^(?:\S+|"[^"\r\n]+")@[^\s@]+$/u, "an e-mail address"), "An email address.");
const prefix = described(
  wordLike(/^[^\s.]+$/u, "a key prefix, without dots and white space"),
  "The prefix of a key: the part before the dot.",
);
const secret = described(
  wordLike(/^\S+$/u, "a secret, without white space"),
  "The secret part of a key: the part after the dot.",
);

function wordOrMap<T>(fromWord: (written: string) => T, map: Decoder<T>): Decoder<T> {
  return byKind({ scalar: andThen(word, fromWord), map }, "a text or a map");
}

const ofAccount = optional(word, { about: "The default is the first account.", examples: ["acc-1"] });
const someone = described(word, "The address or the identifier of a user.", "ada@acme.example");
const madeSecret = optional(secret, {
  about: "The secret part of the key. Without it, the server creates one.",
  examples: ["0123456789abcdef"],
});

function statusOf(what: string, example: string) {
  const about = `The status that the service shows. Without it, the ${what} is active.`;
  return optional(word, { about: about, examples: [example] });
}

export type SeedAccount = Decoded<typeof accountMap>;
const accountMap = object(
  {
    identifier: required(word, { about: "The identifier of the account.", examples: ["acc-1"] }),
    name: optional(word, { about: "The name. The default is the identifier.", examples: ["Acme"] }),
    status: statusOf("account", "SUSPENDED"),
  },
  { title: "An account" },
);
const account = described(
  wordOrMap<SeedAccount>((identifier) => ({ identifier }), accountMap),
  "An account, or only its identifier.",
);

const roleMap = object(
  {
    identifier: required(word, { about: "The identifier of the role.", examples: ["DEVELOPER"] }),
    name: optional(word, { about: "The name of the role. The default is the identifier.", examples: ["Developer"] }),
    description: optional(word, { about: "What the role allows.", examples: ["May deploy."] }),
    type: optional(oneOf(["user", "system"], word), {
      about: "Who made the role: a user of the account, or the system.",
      default: "user",
    }),
  },
  { title: "A role" },
);
const role = described(
  wordOrMap<Decoded<typeof roleMap>>((identifier) => ({ identifier }), roleMap),
  "A role, or only its identifier.",
);

export type SeedUser = Decoded<typeof user>;
const user = object(
  {
    identifier: optional(word, {
      about: "The identifier of the user. Without it, the server creates one.",
      examples: ["u-1"],
    }),
    account: ofAccount,
    email: required(email, { about: "The address of the user.", examples: ["ada@acme.example"] }),
    firstName: required(word, { about: "The first name of the user.", examples: ["Ada"] }),
    lastName: required(word, { about: "The last name of the user.", examples: ["Lovelace"] }),
    title: optional(word, { about: "The job title of the user.", examples: ["Principal Engineer"] }),
    externalIdentifier: optional(word, {
      about: "The identifier of the user in another system.",
      examples: ["E-4711"],
    }),
    source: optional(word, { about: "The system that the user comes from.", examples: ["hr"] }),
    status: statusOf("user", "PENDING"),
  },
  { title: "A user" },
);

export type SeedMember = Decoded<typeof memberMap>;
const memberMap = object(
  {
    user: required(someone),
    prefix: optional(prefix, {
      about: "The prefix of the team key. Without it, the server creates one.",
      examples: ["jU7q896uSReJcXXDOS6P"],
    }),
    secret: madeSecret,
    roles: optional(list(word), { about: "The roles of the team key.", default: ["TEAM_ROLE"] }),
    status: statusOf("team key", "DISABLED"),
  },
  { title: "A member" },
);
const member = described(
  wordOrMap<SeedMember>((name) => ({ user: name }), memberMap),
  "A member with their team key, or only the address or the identifier of a user.",
);

export type SeedTeam = Decoded<typeof team>;
const team = object(
  {
    identifier: optional(word, {
      about: "The identifier of the team. Without it, the server creates one.",
      examples: ["t-42"],
    }),
    account: ofAccount,
    name: required(word, { about: "The name of the team.", examples: ["Platform"] }),
    admin: required(someone),
    members: optional(list(member), { about: "The members, each with a team key.", examples: [["ada@acme.example"]] }),
  },
  { title: "A team" },
);

export type SeedKey = Decoded<typeof key>;
const key = object(
  {
    prefix: required(prefix, { about: "The prefix of the key.", examples: ["12pref1x121"] }),
    secret: madeSecret,
    owner: required(someone),
    kind: optional(oneOf(["project", "user"], word), { about: "Whose key it is.", default: "project" }),
    roles: required(list(word), { about: "The exact roles of the key.", examples: [["DEVELOPER"]] }),
    status: statusOf("key", "DISABLED"),
  },
  { title: "A key" },
);

/**
 * What a server starts with. A list that is absent is as the default: one account `acc-1`, the built-in roles, nobody.
 * People are named by their address or identifier, accounts by their identifier.
 */
export type Seed = Decoded<typeof seed>;
export const seed = object({
  accounts: optional(list(account, "not-empty"), { about: "The accounts.", examples: [["acc-1"]] }),
  roles: optional(list(role), {
    about: "The roles, instead of the built-in roles. Roles that the service itself grants always exist.",
    examples: [["DEVELOPER", "TEAM_ROLE"]],
  }),
  users: optional(list(user), {
    about: "The users. Each user gets an own key, unless `keys` has a key of the kind `user` for that user.",
  }),
  teams: optional(list(team), { about: "The teams and their members." }),
  keys: optional(list(key), { about: "Keys of users and projects." }),
});

export const seedFormat: Format = {
  title: "roster: a seed of the reference service",
  description:
    "The content with which `roster serve --seed FILE` starts. The default is one account `acc-1`, the built-in roles, and no users.",
  root: seed.schema,
  examples: [
    {
      users: [{ email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" }],
      teams: [{ name: "Data Science", admin: "ada@acme.example", members: ["ada@acme.example"] }],
    },
  ],
  declarations: { text: word, email, prefix, secret, account, role, user, team, member, key },
};
