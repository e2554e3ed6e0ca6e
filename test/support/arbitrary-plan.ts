import fc from "fast-check";
import type { FindingCode } from "../../src/codes/findings.ts";
import {
  type Action,
  type CreateUser,
  peopleOf,
  type ReplaceRoles,
  ruleNames,
  teamOf,
} from "../../src/model/action.ts";
import { foldAddress } from "../../src/model/address.ts";
import {
  declared,
  type Fact,
  observed,
  type Place,
  type Reason,
  reasonKinds,
  recorded,
  unknown,
} from "../../src/model/fact.ts";
import type { Finding } from "../../src/model/finding.ts";
import type { NamesInCalls, Plan } from "../../src/model/plan.ts";
import type { Ownership } from "../../src/model/recorded.ts";
import { roleSet } from "../../src/model/role-set.ts";
import { type Basis, decodeSubject, type Subject } from "../../src/model/subject.ts";
import { teamKeyOf } from "../../src/model/team.ts";
import { codePoint } from "./code-point.ts";

/** What nobody may read, wherever it stands. */
export const leakedSecret = 's3cr&t|<b>*x*_%:,"y z';

/** Texts that try to take over a terminal or a runner of pipelines, hide in one, or break a format. */
const hostileTexts = [
  leakedSecret,
  `key=${leakedSecret};`,
  "::stop-commands::x",
  "a\n::add-mask::x",
  "%0A::error file=x::forged",
  " ::set-output name=plan_id::forged",
  "##vso[task.setvariable variable=x]y",
  "##[error]forged",
  "x\nEOF\nplan_id=forged",
  "</details><script>x</script>",
  "@everyone #1 [x](http://evil.example) ![x](x)",
  "a|b\\|c",
  "`code` ```",
  "a,b:c=d%e",
  "\u001b]8;;http://evil.example\u001b\\x\u001b]8;;\u001b\\",
  "\u001b]52;c;x\u0007",
  "",
  "__proto__",
  "a\nb",
  "a\r+ create user eve@evil.example",
  "\u001b[2J\u001b]0;title\u0007",
  "\u009b31m",
  "\b\b\bgone",
  "\u202Eelpmaxe.emca@ada",
  "a\u2066b\u2069",
  "zero\u200Bwidth\u2060\uFEFF",
  "line\u2028paragraph\u2029",
  "high \uD83D low \uDE00",
  "\u{E0041}\u{E007F}",
  "👩‍💻 👍🏽 ❤️",
  "田中 ada",
  "tab\there",
  "null\u0000",
  '"quoted" \\u{1b}',
  // What Markdown, HTML and forges take for something else.
  "@ada and @acme/owners",
  "#12 GH-1 acme/roster#3 !4 deadbeef0",
  "https://evil.example www.evil.example eve@evil.example",
  "[x](javascript:alert(1)) ![i](x) <https://evil.example>",
  "a | b \\| c",
  "`tick` ``` *bold* _em_ ~~gone~~ $x$",
  "</details><script>alert(1)</script><!-- roster:plan -->",
  "&lt;b&gt; &#64;ada",
  "1. one",
  "- two\n| a | b |\n|---|---|",
];

/** Any text: ordinary, hostile, or any code points at all. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("Ada", "Data Science", "acc-1", "12pref1x121"),
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: codePoint, maxLength: 12 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 }).map((units) => String.fromCharCode(...units)),
);

export const anyPlace: fc.Arbitrary<Place> = fc.record({
  file: anyText,
  line: fc.integer({ min: 1, max: 99_999 }),
  column: fc.integer({ min: 1, max: 999 }),
});

const reasons = fc.array(
  fc
    .record(
      { place: anyPlace, as: fc.constantFrom(...reasonKinds), name: anyText, person: anyText.map(foldAddress) },
      { requiredKeys: ["place", "as"] },
    )
    .map(({ place, ...link }): Reason => ({ ...place, ...link })),
  { maxLength: 3 },
);
const roles = fc.array(fc.oneof(fc.constantFrom("DEVELOPER", "TEAM_ROLE", "ACCOUNT_ADMIN"), anyText)).map(roleSet);
const calls = fc.record({ reads: fc.nat(), writes: fc.nat(), atMost: fc.nat() });

function anyFact<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Fact<T>> {
  return fc.oneof(
    fc.tuple(value, anyText).map(([known, by]) => observed(known, by)),
    fc.tuple(value, anyText).map(([known, at]) => recorded(known, at)),
    fc.tuple(value, anyPlace).map(([known, place]) => declared(known, place)),
    anyText.map((why) => unknown<T>(why)),
  );
}

/** Of every kind, and of the worst of texts. */
export const anySubject: fc.Arbitrary<Subject> = fc
  .tuple(
    fc.constantFrom("", "user ", "team ", "roles of key ", "member a@b.example of team ", "role R on key "),
    anyText,
  )
  .map(([words, text]) => decodeSubject(`${words}${text}`));

const basis: fc.Arbitrary<Basis> = fc.record({ about: anySubject, fact: anyFact(anyText) });
const optional = { requiredKeys: [] };

const address = anyText.map(foldAddress);

const team = fc.record({ name: anyText, account: anyText }).map(({ name, account }) => teamKeyOf(account, name));

type Bare<A extends Action> = Omit<A, "id" | "rule" | "because" | "dependsOn" | "restsOn">;

const request = fc.option(anyText, { nil: undefined });

const ownership: fc.Arbitrary<Ownership> = fc.record({ owner: anyText, note: anyText }, { requiredKeys: ["owner"] });

/** Or of nobody. */
function owned<T extends object>(bare: fc.Arbitrary<T>): fc.Arbitrary<T & { ownership?: Ownership }> {
  return fc
    .tuple(bare, fc.option(ownership, { nil: undefined }))
    .map(([one, whose]) => (whose === undefined ? one : { ...one, ownership: whose }));
}

/** With the digest by which a refusal is known again, or about what the plan itself creates. */
function digested<T extends object>(bare: fc.Arbitrary<T>): fc.Arbitrary<T & { request?: string }> {
  return fc.tuple(bare, request).map(([one, asked]) => (asked === undefined ? one : { ...one, request: asked }));
}

const createUser: fc.Arbitrary<Bare<CreateUser>> = fc
  .record({
    account: anyText,
    user: fc.record(
      {
        email: anyText,
        firstName: anyText,
        lastName: anyText,
        title: anyText,
        externalIdentifier: anyText,
        source: anyText,
      },
      { requiredKeys: ["email", "firstName", "lastName"] },
    ),
    formerly: fc.option(fc.array(anyText.map(foldAddress), { minLength: 1, maxLength: 2 }), { nil: undefined }),
    createsTeam: fc.option(
      fc
        .tuple(team, anyText, fc.record({ admin: address }, optional), roles, roles)
        .map(([key, name, admin, accessKeyRoles, temporaryRoles]) => ({
          team: key,
          name,
          ...admin,
          accessKeyRoles,
          temporaryRoles,
        })),
      { nil: undefined },
    ),
  })
  .map(({ account, user, formerly, createsTeam }) => ({
    kind: "create-user" as const,
    address: foldAddress(user.email),
    account,
    user,
    ...(formerly === undefined ? {} : { formerly }),
    ...(createsTeam === undefined ? {} : { createsTeam }),
  }));

const key: fc.Arbitrary<ReplaceRoles["key"]> = fc.oneof(
  fc
    .record({ prefix: anyFact(anyText), address, team, own: fc.constant(true as const) }, { requiredKeys: ["prefix"] })
    .map((known) => ({ of: "prefix" as const, ...known })),
  address.map((one) => ({ of: "own-key" as const, address: one })),
  fc.record({ address, team }).map((known) => ({ of: "team-key" as const, ...known })),
);

const replaceRoles: fc.Arbitrary<Bare<ReplaceRoles>> = fc
  .record({ key, before: anyFact(roles), roles, ifInexact: fc.boolean() })
  .map((known) => ({ kind: "replace-roles" as const, ...known }));

const member = owned(digested(address.map((one) => ({ address: one }))));
const addMembers = fc
  .record(
    { team, firstMember: address, members: fc.array(member, { maxLength: 3 }) },
    { requiredKeys: ["team", "members"] },
  )
  .map((known) => ({ kind: "add-members" as const, ...known }));

const actions: fc.Arbitrary<readonly Action[]> = fc
  .array(
    fc.record({
      doing: fc.oneof(owned(digested(createUser)), owned(addMembers), owned(digested(replaceRoles))),
      name: anyText,
      rule: fc.constantFrom(...ruleNames),
      because: reasons,
      restsOn: fc.array(basis, { maxLength: 2 }),
      dependsOn: fc.array(fc.nat({ max: 5 }), { maxLength: 2 }),
    }),
    { maxLength: 6 },
  )
  .map((drafts) => {
    const ids = drafts.map(({ name }, index) => `${index}:${name}`);
    return drafts.map(({ doing, rule, because, restsOn, dependsOn }, index) => ({
      ...doing,
      id: ids[index] ?? "",
      rule,
      because,
      dependsOn: dependsOn.flatMap((other) => (other < index ? [ids[other] ?? ""] : [])),
      restsOn,
    }));
  });

const findingCodes: readonly FindingCode[] = ["cannot-create-team", "write-pending", "unmanaged"];

export const anyFinding: fc.Arbitrary<Finding> = fc.record(
  {
    ownership,
    kind: fc.constantFrom("task", "notice"),
    code: fc.constantFrom(...findingCodes),
    fingerprint: anyText,
    subject: anySubject,
    message: anyText,
    because: reasons,
    restsOn: fc.array(basis, { maxLength: 2 }),
    suggestedYaml: fc.array(anyText, { maxLength: 3 }).map((lines) => lines.join("\n")),
    allow: fc.array(anyText, { maxLength: 2 }),
  },
  { requiredKeys: ["kind", "code", "fingerprint", "subject", "message", "because", "restsOn"] },
);

/** Plans of every shape, with texts from the worst of worlds; their actions are in an order that can be kept. */
export const anyPlan: fc.Arbitrary<Plan> = fc
  .record({ id: anyText, service: anyText, actions, findings: fc.array(anyFinding, { maxLength: 4 }), calls })
  .chain((plan) => names(plan.actions).map((named) => ({ ...plan, ...named })));

/** Of everybody and of every team that the actions name. */
function names(of: readonly Action[]): fc.Arbitrary<NamesInCalls> {
  const people = of.flatMap(peopleOf);
  const teams = of.flatMap((action) => teamOf(action) ?? []);
  const facts = fc.array(anyFact(anyText), {
    minLength: people.length + teams.length,
    maxLength: people.length + teams.length,
  });
  return facts.map((drawn) => {
    const identifier = (index: number) => drawn[index] ?? unknown<string>("");
    return {
      users: new Map(people.map((one, index) => [one, { email: one, identifier: identifier(index) }])),
      teams: new Map(
        teams.map((one, index) => {
          const [account = "", ...name] = one.split("/");
          return [one, { name: name.join("/"), account, identifier: identifier(people.length + index) }];
        }),
      ),
    };
  });
}
