import { describe, expect, test } from "vitest";
import { messageLines, partsOf, planLines, play, wholeFindings } from "../../../support/scenes.ts";

const lovelace = "firstName: Ada, lastName: Lovelace";
/** Ada Lovelace is to be created as ada.l, and bo. */
const common = `{users: {ada.l: {${lovelace}}, bo}, guards: {nearDuplicate: on}}`;
const old = `there: {ada.l@old.example: {${lovelace}}}`;

test.each([
  ["who is there under another domain", "ada.l@old.example"],
  ["with a letter less in the address", "adal"],
  ["with a letter more", "ada.ll"],
  ["with another letter", "ada.k"],
  ["with two letters exchanged", "ad.al"],
  [
    "whatever the case, the marks and the spaces of the name",
    "ada.l@old.example",
    'firstName: "ÁDA ", lastName: lovelace',
  ],
  ["whom the service bars", "ada.l@old.example", `${lovelace}, status: inactive`],
])("somebody is held %s, and nobody else is", (_, other, person = lovelace) => {
  expect(planLines(partsOf(common, `there: {${other}: {${person}}}`))).toEqual([
    "create bo",
    "! near-duplicate: user ada.l",
  ]);
});

test.each([
  ["for a name alone", `there: {countess: {${lovelace}}}`],
  ["for an address alone", "there: {ada.l@old.example: {firstName: Ada, lastName: King}}"],
  [
    "for two edits",
    `{there: {ada.lo: {${lovelace}}}, users: {ada.l: gone, ada: {${lovelace}}}}`,
    ["create ada", "create bo"],
  ],
  ["for somebody who was deleted", `there: {ada.l@old.example: {${lovelace}, status: deleted}}`],
  ["for somebody whom the roster calls somebody else", `${old}\nusers: {ada.l: {distinctFrom: [ada.l@old.example]}}`],
  ["for a user of the roster", `${old}\nusers: {ada.l@old.example: {${lovelace}}}`],
  [
    "where two users of one name and similar addresses are both new",
    `users: {ada.k: {${lovelace}}}`,
    ["create ada.k", "create ada.l", "create bo"],
  ],
  ["where the service shows no names", `${old}\nhides: [user-profiles]`],
  ["where the guard is off", `${old}\nguards: {nearDuplicate: off}`],
])("nobody is held %s", (_, text, created = ["create ada.l", "create bo"]) => {
  expect(planLines(partsOf(common, text))).toEqual(created);
});

play("a near duplicate is told", wholeFindings)`
  users: {ada.l: {firstName: Ada, lastName: Lovelace}}
  guards: {nearDuplicate: on}
with everybody who is near, what to write, and how to allow the plan
  there: {ada.l@old.example: {firstName: Ada, lastName: Lovelace}, Adal: {firstName: Ada, lastName: Lovelace}}
  > task near-duplicate: user ada.l
  > ada.l (Ada Lovelace) is not created: the service has a user with the same name and a similar address, ada.l@old.example
    and Adal. The roster does not name that user. Same person: write the existing address as \`email\`, or the former one
    under \`previously\`. Another person: write \`distinctFrom: [Adal, ada.l@old.example]\`. To allow it, run \`--allow
    near-duplicate:ada.l\`.
  > because user at 1
  > rests on user ada.l@old.example: observed, present, list
  > rests on user adal: observed, present, list
  > allow ["near-duplicate:ada.l"]
  > suggestedYaml users:
  > suggestedYaml   - email: ada.l
  > suggestedYaml     distinctFrom: [Adal, ada.l@old.example]
  > accept {"code":"near-duplicate:ada.l","until":"2026-12-20"}
  > guarded true
`;

play("a near duplicate is told", messageLines)`
  users: {ada.l: {firstName: Ada, lastName: Lovelace}}
  guards: {nearDuplicate: on}
as a leaver, who is one
  there: {ada.l@old.example: {own: none, firstName: Ada, lastName: Lovelace}}
  leavers: {ada.l@old.example}
  > ! near-duplicate: ada.l (Ada Lovelace) is not created: the service has a user with the same name and a similar address,
    ada.l@old.example (a leaver). Same person: write the existing address as \`email\`, or the former one under
    \`previously\`. Another person: write \`distinctFrom: [ada.l@old.example]\`. To allow it, run \`--allow
    near-duplicate:ada.l\`.
  > ! leaver-remains: ada.l@old.example is a leaver, and the service still has the user u-ada.l in acc-1. The API cannot
    delete users, end memberships or withdraw invitations. Delete or disable this user in the service.
`;

describe("whoever was dropped and is there under another address altogether", () => {
  const dropped = [common, `{there: {countess: {${lovelace}}}, applied: [countess]}`];
  const told = "! user-removed: user countess";

  test("may be the person of this name who would be created", () => {
    const parts = partsOf(...dropped);
    expect(planLines(parts)).toEqual(["create bo", "! near-duplicate: user ada.l", told]);
    expect(wholeFindings(parts)).toEqual(
      expect.arrayContaining([
        "ada.l (Ada Lovelace) is not created: the service has a user with the same name, countess (in the last applied " +
          "roster). Same person: write the existing address as `email`, or the former one under `previously`. Another " +
          "person: write `distinctFrom: [countess]`. To allow it, run `--allow near-duplicate:ada.l`.",
        "suggestedYaml     previously: [countess] # or, for two different people: distinctFrom: [countess]",
      ]),
    );
  });

  test("keeps the roles of a key that would be revoked meanwhile", () => {
    const team =
      "{there: {countess: {in: {Red}}}, teams: {Red: {identifier: t-red, onRemoval: revoke, members: [ada.l]}}}";
    const deedsFor = (text: string) =>
      planLines(partsOf(...dropped, team, text)).filter((line) => !line.startsWith("!"));
    expect(deedsFor("")).toEqual(["create bo"]);
    expect(deedsFor("users: {ada.l: {lastName: King}}")).toEqual([
      "set k-countess-red (observed) to nothing",
      "create ada.l",
      "create bo",
      "add ada.l to Red after create-user:ada.l",
    ]);
  });

  test.each([
    ["where the roster calls them somebody else", "users: {ada.l: {distinctFrom: [countess]}}", [told]],
    ["where it is said that they are nobody's matter", "allows: [user-removed:countess@acme.example]", []],
    ["where the name is another one", "users: {ada.l: {lastName: King}}", [told]],
  ])("holds nobody %s", (_, text, findings) => {
    expect(planLines(partsOf(...dropped, text))).toEqual(["create ada.l", "create bo", ...findings]);
  });
});
