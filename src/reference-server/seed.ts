import * as d from "../yaml/decode.ts";

const word = d.described(
  d.andThen(d.text, (written, cursor) => (written.trim() === "" ? cursor.fault(`${cursor.name} is empty.`) : written), {
    type: "string",
    pattern: "\\S",
  }),
  "A text that is not blank. Quote it if YAML would read a number or a boolean.",
);

/** A text of a certain form; `form` says which, such as `an e-mail address`. */
function wordLike(pattern: RegExp, form: string): d.Decoder<string> {
  return d.andThen(
    word,
    (written, cursor) => (pattern.test(written) ? written : cursor.fault(`${cursor.name} must be ${form}.`)),
    { type: "string", pattern: pattern.source },
  );
}

const email = d.described(wordLike(/^(?:\S+|"[^"\r\n]+")@[^\s@]+$/u, "an e-mail address"), "An email address.");
const prefix = d.described(
  wordLike(/^[^\s.]+$/u, "a key prefix, without dots and white space"),
  "The prefix of a key: the part before the dot.",
);
const secret = d.described(
  wordLike(/^\S+$/u, "a secret, without white space"),
  "The secret part of a key: the part after the dot.",
);

function wordOrMap<T>(fromWord: (written: string) => T, map: d.Decoder<T>): d.Decoder<T> {
  return d.byKind({ scalar: d.andThen(word, fromWord), map }, "a text or a map");
}

const ofAccount = d.optional(word, { about: "The default is the first account.", examples: ["acc-1"] });
const someone = d.described(word, "The address or the identifier of a user.", "ada@acme.example");
const madeSecret = d.optional(secret, {
  about: "The secret part of the key. Without it, the server creates one.",
  examples: ["0123456789abcdef"],
});

function statusOf(what: string, example: string) {
  const about = `The status that the service shows. Without it, the ${what} is active.`;
  return d.optional(word, { about: about, examples: [example] });
}

export type SeedAccount = d.Decoded<typeof accountMap>;
const accountMap = d.object(
  {
    identifier: d.required(word, { about: "The identifier of the account.", examples: ["acc-1"] }),
    name: d.optional(word, { about: "The name. The default is the identifier.", examples: ["Acme"] }),
    status: statusOf("account", "SUSPENDED"),
  },
  { title: "An account" },
);
const account = d.described(
  wordOrMap<SeedAccount>((identifier) => ({ identifier }), accountMap),
  "An account, or only its identifier.",
);

const roleMap = d.object(
  {
    identifier: d.required(word, { about: "The identifier of the role.", examples: ["DEVELOPER"] }),
    name: d.optional(word, { about: "The name of the role. The default is the identifier.", examples: ["Developer"] }),
    description: d.optional(word, { about: "What the role allows.", examples: ["May deploy."] }),
    type: d.optional(d.oneOf(["user", "system"], word), {
      about: "Who made the role: a user of the account, or the system.",
      default: "user",
    }),
  },
  { title: "A role" },
);
const role = d.described(
  wordOrMap<d.Decoded<typeof roleMap>>((identifier) => ({ identifier }), roleMap),
  "A role, or only its identifier.",
);

export type SeedUser = d.Decoded<typeof user>;
const user = d.object(
  {
    identifier: d.optional(word, {
      about: "The identifier of the user. Without it, the server creates one.",
      examples: ["u-1"],
    }),
    account: ofAccount,
    email: d.required(email, { about: "The address of the user.", examples: ["ada@acme.example"] }),
    firstName: d.required(word, { about: "The first name of the user.", examples: ["Ada"] }),
    lastName: d.required(word, { about: "The last name of the user.", examples: ["Lovelace"] }),
    title: d.optional(word, { about: "The job title of the user.", examples: ["Principal Engineer"] }),
    externalIdentifier: d.optional(word, {
      about: "The identifier of the user in another system.",
      examples: ["E-4711"],
    }),
    source: d.optional(word, { about: "The system that the user comes from.", examples: ["hr"] }),
    status: statusOf("user", "PENDING"),
  },
  { title: "A user" },
);

export type SeedMember = d.Decoded<typeof memberMap>;
const memberMap = d.object(
  {
    user: d.required(someone),
    prefix: d.optional(prefix, {
      about: "The prefix of the team key. Without it, the server creates one.",
      examples: ["jU7q896uSReJcXXDOS6P"],
    }),
    secret: madeSecret,
    roles: d.optional(d.list(word), { about: "The roles of the team key.", default: ["TEAM_ROLE"] }),
    status: statusOf("team key", "DISABLED"),
  },
  { title: "A member" },
);
const member = d.described(
  wordOrMap<SeedMember>((name) => ({ user: name }), memberMap),
  "A member with their team key, or only the address or the identifier of a user.",
);

export type SeedTeam = d.Decoded<typeof team>;
const team = d.object(
  {
    identifier: d.optional(word, {
      about: "The identifier of the team. Without it, the server creates one.",
      examples: ["t-42"],
    }),
    account: ofAccount,
    name: d.required(word, { about: "The name of the team.", examples: ["Platform"] }),
    admin: d.required(someone),
    members: d.optional(d.list(member), {
      about: "The members, each with a team key.",
      examples: [["ada@acme.example"]],
    }),
  },
  { title: "A team" },
);

export type SeedKey = d.Decoded<typeof key>;
const key = d.object(
  {
    prefix: d.required(prefix, { about: "The prefix of the key.", examples: ["12pref1x121"] }),
    secret: madeSecret,
    owner: d.required(someone),
    kind: d.optional(d.oneOf(["project", "user"], word), { about: "Whose key it is.", default: "project" }),
    roles: d.required(d.list(word), { about: "The exact roles of the key.", examples: [["DEVELOPER"]] }),
    status: statusOf("key", "DISABLED"),
  },
  { title: "A key" },
);

/**
 * What a server starts with. A list that is absent is as the default: one account `acc-1`, the built-in roles, nobody.
 * People are named by their address or identifier, accounts by their identifier.
 */
export type Seed = d.Decoded<typeof seed>;
export const seed = d.object({
  accounts: d.optional(d.list(account, "not-empty"), { about: "The accounts.", examples: [["acc-1"]] }),
  roles: d.optional(d.list(role), {
    about: "The roles, instead of the built-in roles. Roles that the service itself grants always exist.",
    examples: [["DEVELOPER", "TEAM_ROLE"]],
  }),
  users: d.optional(d.list(user), {
    about: "The users. Each user gets an own key, unless `keys` has a key of the kind `user` for that user.",
  }),
  teams: d.optional(d.list(team), { about: "The teams and their members." }),
  keys: d.optional(d.list(key), { about: "Keys of users and projects." }),
});

export const seedFormat = {
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
