import { expect, test } from "vitest";
import type { OutsideChange } from "../../../../src/model/finding.ts";
import type { Drift } from "../../../../src/model/plan.ts";
import type { Roster } from "../../../../src/model/roster.ts";
import type { Snapshot } from "../../../../src/model/snapshot.ts";
import { emptyState, type State } from "../../../../src/model/state.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import { roleSet } from "../../../../src/model/values.ts";
import { formatAccess } from "../../../../src/report/access/access-formats.ts";
import { type AccessInput, type AccessSelection, mapAccess } from "../../../../src/report/access/access-map.ts";
import { accessFacts, cellLines, personLines } from "../../../../src/report/document/access.ts";
import { addressOf, aLeaver, aRoster, aTeam, at, aUser } from "../../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../../support/snapshot-builders.ts";

interface Scene extends Pick<AccessInput, "keys" | "drift"> {
  readonly roster?: Roster;
  readonly state?: State;
  readonly selection?: AccessSelection;
}

function mapOf(snapshot: Snapshot, scene: Scene = {}) {
  const { roster = aRoster({}), state = emptyState("lineage-1"), selection = {}, ...changes } = scene;
  return mapAccess({ roster, snapshot, state, privilegedRoles: roleSet(["ADMIN"]), ...changes }, selection);
}

const science = { name: "Science" };
const hidden = aSnapshot({
  users: [
    aShownUser("ada"),
    aShownUser("bo", { keys: [aShownKey("k-1", science)] }),
    aShownUser("cy", { keys: [{ prefix: "k-2", roles: roleSet(["USER"]) }] }),
    aShownUser("di", { keys: [aShownKey("k-3", science, { roles: roleSet([]) })] }),
    aShownUser("ed", { keys: [{ prefix: "k-4" }] }),
  ],
});

test.each<[string, AccessSelection, readonly string[]]>([
  [
    "all",
    {},
    ["ada - keys unmanaged", "bo - roles -", "cy USER team -", "di - - unmanaged", "ed - roles team unmanaged"],
  ],
  ["a role", { role: "ADMIN" }, ["ada - keys unmanaged", "bo - roles -", "ed - roles team unmanaged"]],
  ["a team", { team: "Other" }, ["ada - keys unmanaged", "cy USER team -", "ed - roles team unmanaged"]],
  ["a person", { person: addressOf("di") }, ["di - - unmanaged"]],
])(
  "access that the service hides is taken neither for none nor for missing in the roster: %s",
  (_, selection, expected) => {
    const teams = [aTeam("Science", { members: ["bo"], roles: [] })];
    const { rows } = mapOf(hidden, { selection, roster: aRoster({ users: [aUser("bo"), aUser("cy")], teams }) });
    const shown = rows.map(({ person, role = "-", not_shown: what = "-", source = "-" }) =>
      [person?.replace(/@.*/u, ""), role, what, source].join(" "),
    );
    expect(shown.sort()).toEqual(expected);
  },
);

test("what is hidden is not counted as none, and a person sees that not all users were read", () => {
  const text = formatAccess(mapOf({ ...hidden, everyone: { read: "incomplete", why: "cut" } }), "text");
  expect(text).toMatch(/^Users: 5\. Roles on their keys: at least 1\. Privileged roles: unknown\. /mu);
  const notes = [
    "Not all users were read: more access may exist.",
    "Parts are unread: the service does not show them.",
  ];
  expect(text.split("\n").slice(-3, -1)).toEqual(notes);
});

const inScience = aSnapshot({
  users: [aShownUser("old.ada", { keys: [aShownKey("k-1", science, { roles: roleSet(["ADMIN", "USER"]) })] })],
});

test("a user under a former address is the roster's user, and access ends with the first end", () => {
  const team = aTeam("Science", { members: ["ada"], roles: ["USER"] });
  const endings = [{ roles: roleSet(["USER"]), until: { value: "2027-06-01", place: at(9) } }];
  const teams = [{ ...team, members: team.members.map((member) => ({ ...member, endings })) }];
  const users = [aUser("ada", { previously: ["old.ada"], until: "2027-01-31" })];
  const { rows } = mapOf(inScience, { roster: aRoster({ users, teams }) });
  expect(rows.map(({ role, source, place, until }) => [role, source, place, until])).toEqual([
    ["ADMIN", "not-in-roster", undefined, undefined],
    ["USER", "roster", "roster.yaml:9", "2027-01-31"],
  ]);
  const staying = aRoster({ users: [aUser("ada", { previously: ["old.ada"] })], teams });
  expect(formatAccess(mapOf(inScience, { roster: staying }), "html")).toContain('data-labels="privileged|access ends"');
});

test("a role that a recorded call found on the key has no date, whatever the state says of that call", () => {
  const grant = { at: "2026-11-03T12:00:00Z", run: "r2" };
  const put = { prefix: "k-1", setRoles: roleSet(["ADMIN", "USER"]), at: grant.at };
  const access = { prefix: "k-1", roles: [{ role: "ADMIN" }, { role: "USER", ...grant }] };
  const runs = new Map([["r2", { run: "r2", actor: { name: "bo", source: "os" } }]]);
  const state = {
    ...emptyState("lineage-1"),
    keys: new Map([["k-1", put]]),
    access: new Map([["k-1", access]]),
    runs,
  };
  const { rows } = mapOf(inScience, { state });
  expect(rows.map(({ role, granted_at: since, granted_by: by }) => [role, since, by])).toEqual([
    ["ADMIN", undefined, undefined],
    ["USER", grant.at, "bo"],
  ]);
});

test("each row has the owner of the membership, else of the team, else of the user", () => {
  const roster = aRoster({
    users: [aUser("ada", { previously: ["old.ada"], ownership: { owner: "hr" } }), aUser("bo")],
    teams: [
      aTeam("Science", {
        ownership: { owner: "science-team" },
        members: [{ user: "ada", roles: ["USER"], ownership: { note: "JIRA-1" } }],
      }),
    ],
  });
  const snapshot = aSnapshot({
    users: [
      aShownUser("old.ada", {
        keys: [aShownKey("k-1", science, { roles: roleSet(["USER"]) }), aShownKey("k-2", "none")],
      }),
      aShownUser("bo", { keys: [aShownKey("k-3", "none", { roles: roleSet(["USER"]) })] }),
      aShownUser("mal", { keys: [aShownKey("k-4", science, { roles: roleSet(["USER"]) })] }),
    ],
  });
  const csv = formatAccess(mapOf(snapshot, { roster }), "csv").split("\r\n").slice(0, 5);
  expect(csv.map((line) => line.split(",").at(-3))).toEqual(["owner", "", "science-team", "hr", "science-team"]);
});

/** People and teams as they are drawn, a line a person. */
function drawn({ columns, people }: ReturnType<typeof mapAccess>): readonly string[] {
  const rows = people.map((one) =>
    [personLines(one), ...one.cells.map(cellLines)].map((lines) => lines.map(({ text }) => text).join(", ")),
  );
  return [["person", ...columns.map(({ name }) => name)], ...rows].map((row) => row.join(" | "));
}

/** One item of drift, with these changes, first seen on the 19th if it is not new. */
function outsideOf(
  coverage: Drift["coverage"],
  outside: readonly OutsideChange[],
  since?: string,
): Pick<Drift, "coverage" | "items"> {
  const of = { is: "action", action: "put" } as const;
  const about = { fingerprint: "f1", class: "tampered", code: "replace-roles", counts: "change" } as const;
  return { coverage, items: [{ ...about, subject: { kind: "key", prefix: "k-2" }, of, since, outside }] };
}

const someone = (name: string) => ({ person: { address: addressOf(name), email: `${name}@acme.example` } });
const onKey = (prefix: string) => ({ key: { prefix, isOwn: false } });
const changed = (gained: readonly string[], lost: readonly string[]) => {
  const privileged = roleSet(gained.filter((role) => role === "ADMIN"));
  return { gained: roleSet(gained), lost: roleSet(lost), privileged };
};
const users = (...roles: readonly string[]) => ({ roles: roleSet(roles) });

test("a map has own keys, teams by key and keys without a team, what a plan does, what changed outside, and who leaves", () => {
  const web = (account: string, identifier: string, members: readonly string[]) =>
    aTeam("Web", { account, identifier, roles: ["USER"], members });
  const roster = aRoster({
    users: [aUser("ada", { until: "2027-01-31" }), aUser("bo"), aUser("cy"), aUser("di")],
    teams: [web("a", "t-1", ["ada"]), web("b", "t-2", ["bo"])],
    leavers: [aLeaver("li")],
  });
  const snapshot = aSnapshot({
    users: [
      aShownUser("ada", {
        keys: [
          aShownKey("k-1", { name: "Web", identifier: "t-1" }, users("USER")),
          aShownKey("k-0", "none", users("OPS")),
        ],
      }),
      aShownUser("bo", {
        status: "disabled",
        keys: [aShownKey("k-2", { name: "Web", identifier: "t-2" }, users("ADMIN"))],
      }),
      aShownUser("cy"),
      aShownUser("ed", { keys: [{ prefix: "k-5", ...users("USER") }] }),
      aShownUser("li", { keys: [aShownKey("k-6", { name: "Web", identifier: "t-1" })] }),
    ],
  });
  const drift = outsideOf(
    { users: { named: 4, shown: 5 } },
    [
      { is: "roles-changed", ...someone("bo"), team: "Web", ...onKey("k-2"), ...changed(["ADMIN"], ["USER"]) },
      { is: "member-removed", ...someone("ada"), team: "Old", ...changed([], []) },
    ],
    "2026-11-19T08:00:00Z",
  );
  const keys = [
    { address: addressOf("bo"), prefix: "k-2", before: roleSet(["ADMIN"]), after: roleSet(["USER"]) },
    {
      address: addressOf("di"),
      team: "Web",
      teamKey: teamKeyOf("a", "Web"),
      before: "no-key",
      after: roleSet(["USER"]),
    },
    { address: addressOf("di"), before: "no-key", after: "unknown" },
  ] as const;
  const map = mapOf(snapshot, { roster, drift, keys });
  expect(drawn(map)).toEqual([
    "person | own key | Old | Web (a/web) | Web (b/web) | team unread",
    "ada@acme.example, leaves 2027-01-31 | OPS | x key (removed by others, noticed 2026-11-19) | USER until 2027-01-31 |  | ",
    "bo@acme.example, barred |  |  |  | - ADMIN (privileged, added by others, noticed 2026-11-19), + USER (removed by others, noticed 2026-11-19) | ",
    "cy@acme.example | unread | unread | unread | unread | unread",
    "di@acme.example | + new key (the service chooses its roles) |  | + USER |  | ",
    "ed@acme.example | unread | unread | unread | unread | * USER on k-5",
    "li@acme.example, leaver |  |  | unread |  | ",
  ]);
  const json = JSON.parse(formatAccess(map, "json"));
  expect(json.not_held.map(({ person, role }: { person: string; role?: string }) => [person, role])).toEqual([
    ["ada@acme.example", undefined],
    ["bo@acme.example", "USER"],
    ["di@acme.example", undefined],
    ["di@acme.example", "USER"],
  ]);
  expect(formatAccess(map, "text")).toMatchInlineSnapshot(`
    "Access in the service, read at 2026-11-20T12:00:00.000Z

    * not in the roster · + apply adds · - apply removes · x removed by others, apply does not add it
      person                               team    key     roles                                      in roster        history
      bo@acme.example, barred              Web     k-2     - ADMIN (privileged)                       no               added by others, noticed 2026-11-19
      ada@acme.example, leaves 2027-01-31  -       k-0     OPS                                        key not managed  unknown
                                           Old     -       x key                                      -                removed by others, noticed 2026-11-19
                                           Web     k-1     USER until 2027-01-31                      roster.yaml:1    unknown
      bo@acme.example, barred              Web     k-2     + USER                                     -                removed by others, noticed 2026-11-19
      cy@acme.example                      unread  unread  unread                                     unread           unknown
      di@acme.example                      -       new     + new key (the service chooses its roles)  -                -
                                           Web     new     + USER                                     -                -
      ed@acme.example                      unread  k-5     * USER                                     user not listed  unknown
      li@acme.example, leaver              Web     k-6     unread                                     leaver           unknown

    Users: 5. Roles on their keys: at least 4. Privileged roles: at least 1. Roles that users outside
    the roster have: 1.
    The service has 5 users. All belong to the roster, except 1 user.
    Parts are unread: the service does not show them.
    "
  `);
  const csv = formatAccess(map, "csv").trimEnd().split("\r\n");
  const rows = csv.map((line) => line.split(",")).map((all) => [all[0]?.slice(0, 2), all[4], all.at(-2)].join(" "));
  expect(rows.slice(0, -3).join(", ")).toBe(
    "pe role held, bo ADMIN true, ad OPS true, ad  false, ad USER true, bo USER false, cy  true, di  false, di USER false, ed USER true, li  true",
  );
  expect(csv.slice(-2).map((line) => line.replace(/^,+/u, ""))).toEqual([
    '"The service has 5 users. All belong to the roster, except 1 user."',
    "Parts are unread: the service does not show them.",
  ]);
  const page = formatAccess(map, "html");
  expect(page).toContain("The service has 5 users. All belong to the roster, except 1 user.");
  expect(page).toContain('data-labels="planned"><th scope="row"><code>di@acme.example');
});

test("a user without a key is a user all the same, and keys without a team may belong to the roster", () => {
  const users = [aShownUser("ada", { status: "Inactive", keys: [] })];
  const coverage = { users: { shown: 9, named: 9 }, keys: { shown: 9, named: 2 } };
  const map = { ...mapOf(aSnapshot({ users }), { selection: { person: addressOf("ada") } }), coverage };
  expect(accessFacts(map).slice(1)).toEqual([
    "The service has 9 users and 9 keys. All belong to the roster, except 7 keys. Their teams are unread: more keys may belong to it.",
    "Users without a key: ada@acme.example (barred).",
  ]);
  expect(JSON.parse(formatAccess(map, "json")).users).toEqual([{ person: "ada@acme.example", status: "barred" }]);
});

test("a person is one row: under a former address, with their status and their last day, whatever row comes first", () => {
  const snapshot = aSnapshot({
    users: [
      aShownUser("old.ada", { status: "disabled", keys: [aShownKey("k-1", science, { roles: roleSet(["OPS"]) })] }),
    ],
  });
  const roster = aRoster({ users: [aUser("ada", { previously: ["old.ada"], until: "2027-01-31" })] });
  const drift = outsideOf({ users: { named: 1, shown: 1 } }, [
    { is: "roles-changed", ...someone("ada"), ...onKey("k-1"), ...changed(["OPS"], []) },
    { is: "member-removed", ...someone("ada"), team: "Art", ...changed([], []) },
  ]);
  const { person: ada } = someone("ada");
  const keys = [{ ...ada, team: "Web", before: "no-key", after: roleSet(["ADMIN"]) }] as const;
  const selection = { person: ada.address };
  expect(mapOf(snapshot, { roster, selection }).rows.map(({ person }) => person)).toEqual(["old.ada@acme.example"]);
  expect(drawn(mapOf(snapshot, { roster, drift, keys }))).toEqual([
    "person | Art | Science | Web",
    "old.ada@acme.example, barred, leaves 2027-01-31 | x key (removed by others) | * OPS (added by others) | + ADMIN (privileged)",
  ]);
});

test("what others added is marked, also on a key that roster does not manage", () => {
  const row = { person: "ada@acme.example", role: "OPS", privileged: false, source: "not-managed" } as const;
  const texts = cellLines([row, { ...row, outside: "added" }]).map(({ text }) => text);
  expect(texts).toEqual(["OPS", "* OPS (added by others)"]);
});

test("a team is one column under a former name too, and is selected by its name", () => {
  const roster = aRoster({ users: [aUser("bo")], teams: [aTeam("Lab", { previously: ["Science"] })] });
  const keys = [
    {
      address: addressOf("bo"),
      team: "Lab",
      teamKey: roster.teams[0]?.key,
      before: "no-key",
      after: roleSet(["USER"]),
    },
  ] as const;
  const map = mapOf(inScience, { roster, keys, selection: { team: "Lab" } });
  expect(drawn(map)).toEqual([
    "person | Science",
    "bo@acme.example | + USER",
    "old.ada@acme.example | * ADMIN (privileged), * USER",
  ]);
});

test("the picture of a small map, with hostile names", () => {
  const name = "</text><script>x</script>";
  const admin = aShownUser("ada", { keys: [aShownKey("k-1", { name }, users("ADMIN"))] });
  const snapshot = aSnapshot({ users: [admin, aShownUser("bo", { email: "<b>&\"'\u001b[31m" })] });
  const svg = formatAccess(mapOf(snapshot), "svg");
  expect(svg).not.toMatch(/<script|<b>/u);
  expect(svg.replace(/<style>[\s\S]*<\/style>/u, "<style/>")).toMatchInlineSnapshot(`
    "<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Access map" width="789" height="144" viewBox="0 0 789 144">
    <style/>
    <rect width="789" height="144"/>
    <path d="M16,78H367.8M16,102H367.8M16,126H367.8"/>
    <text x="16" y="18" class="strong">Access, read from the service at 2026-11-20T12:00:00.000Z.</text>
    <text x="16" y="36" class="dim">* not in the roster · + apply adds · - apply removes · x removed by others, apply does not add it</text>
    <text x="16" y="54" class="dim">Parts are unread: the service does not show them.</text>
    <text x="16" y="72" class="strong">person</text>
    <text x="156.8" y="72" class="strong">&lt;/text&gt;&lt;script&gt;x&lt;/script&gt;</text>
    <text x="16" y="96">&lt;b&gt;&amp;&quot;&#39;\\u{1b}[31m</text>
    <text x="156.8" y="96" class="change">unread</text>
    <text x="16" y="120">ada@acme.example</text>
    <text x="156.8" y="120" class="alarm">* ADMIN (privileged)</text>
    </svg>
    "
  `);
  expect(formatAccess(mapOf(snapshot), "html")).not.toMatch(/<script>x|<b>&/u);
});

test("a picture of 300 people and 40 teams, and of 10,000 people, is drawn; of these, a page has a row a person", () => {
  const people = (count: number) =>
    aSnapshot({
      users: Array.from({ length: count }, (_, n) =>
        aShownUser(`p${n}`, { keys: [aShownKey(`k-${n}`, { name: `Team ${n % 40}` }, users("USER"))] }),
      ),
    });
  const svg = formatAccess(mapOf(people(300)), "svg");
  expect(svg.match(/USER</gu)).toHaveLength(300);
  expect(Number(/ width="(\d+)"/u.exec(svg)?.[1])).toBeLessThan(5_500);
  const many = mapOf(people(10_000));
  expect(formatAccess(many, "svg").match(/USER</gu)).toHaveLength(10_000);
  const html = formatAccess(many, "html");
  expect(html.length).toBeLessThan(12_000_000);
  expect(html).not.toContain("<td></td>");
});
