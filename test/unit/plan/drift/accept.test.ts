import { describe, expect, test } from "vitest";
import { userSubject } from "../../../../src/model/fact.ts";
import { type AcceptEntry, isAccepted } from "../../../../src/model/finding.ts";
import { countsInExitCode } from "../../../../src/model/plan.ts";
import { weighAllowances } from "../../../../src/plan/allowances.ts";
import { creationIntent, openIntent } from "../../../support/event-builders.ts";
import { aPolicy, aState, planned, plannedDrift } from "../../../support/plan-inputs.ts";
import { addressOf, aRoster, at, aUser } from "../../../support/roster-builders.ts";
import { partsOf } from "../../../support/scenes.ts";

const today = "2026-12-01";

/** The roster gives a key a role; the service shows other roles on it, another name of its owner, and somebody else's. */
function compared(roles: readonly string[], accept: readonly AcceptEntry[] = []) {
  const { roster = aRoster({}), ...parts } = partsOf(`
there:
  ada: {firstName: Adele, own: none, keys: {k: {roles: [${roles.join()}]}}}
  mal: {own: none, keys: {m: {roles: [ACCOUNT_ADMIN]}}}
users: {ada}
keys: {k: {roles: [DEVELOPER], owner: ada}}
reportUnmanaged: true
today: ${today}
`);
  return plannedDrift({ ...parts, roster: { ...roster, accept } });
}

function entry(code: string | undefined, until = "2026-12-20", line = 1): AcceptEntry {
  return { code: code ?? "", reason: "incident 12", until, place: at(line) };
}

const carried = ["AUDITOR", "DEVELOPER"];
const codes = compared(carried).drift.items.flatMap(({ accept }) => accept?.code ?? []);
const [profile = "", privilege = ""] = ["profile-differs", "unmanaged-privilege"].map((code) =>
  codes.find((one) => one.includes(`${code}:`)),
);
const roles = codes.find((one) => one.startsWith("replace-roles:"));

describe("the code of what can be accepted", () => {
  test("has the form of an allowance, and a privileged role makes it guarded", () => {
    expect(codes.map((code) => code.replace(/#[0-9a-f]{12}$/u, "#"))).toEqual([
      "unmanaged-privilege:ACCOUNT_ADMIN%20on%20key%20m#",
      "replace-roles:k#",
      "profile-differs:ada@acme.example#",
    ]);
    const guarded = compared(carried)
      .drift.items.filter((item) => item.guarded === true)
      .map(({ code }) => code);
    expect(guarded).toEqual(["unmanaged-privilege"]);
  });

  test("is the one that allows it, where it can be allowed", () => {
    const gone = "{users: {ada}, state: {serial: 7, users: {ada: {createdAt: RECORDED}}}}";
    const { findings } = planned(partsOf(gone));
    const missing = findings.find(({ code }) => code === "user-missing");
    expect(missing?.accept?.code).toMatch(/^user-missing:ada@acme\.example#[0-9a-f]{12}$/u);
    expect(missing?.allow).toEqual([missing?.accept?.code]);
  });

  test("is another one for another service, another log and another privileged role", () => {
    const policy = aPolicy({ today });
    const asked = (service: string, lineage: string, ...facts: readonly string[]) =>
      weighAllowances(policy, [], service, { ...aState({ serial: 7 }), lineage }).accept(
        { of: "extra-member", subject: userSubject(addressOf("ada")), facts },
        undefined,
      ).accept?.code;
    const all = [asked("a", "l", "f"), asked("b", "l", "f"), asked("a", "m", "f"), asked("a", "l", "f", "with X")];
    expect(new Set(all).size).toBe(4);
  });

  test("is the same in the plan and in the drift, and comes with a date that can be taken", () => {
    const { plan, drift } = compared(carried);
    const offered = drift.items.flatMap(({ accept, of }) =>
      of.is === "finding" && accept !== undefined ? [accept] : [],
    );
    expect(plan.findings.flatMap(({ accept }) => accept ?? [])).toEqual(expect.arrayContaining(offered));
    expect(offered.map(({ until }) => until)).toEqual(["2026-12-31", "2026-12-31"]);
  });

  test("is another one for other roles, and where a role is privileged", () => {
    const ofKey = (...carries: readonly string[]) =>
      compared(carries).drift.items.find(({ code }) => code === "replace-roles")?.accept?.code ?? "";
    expect(new Set([ofKey("AUDITOR"), ofKey("AUDITOR", "DEVELOPER"), ofKey("ACCOUNT_ADMIN")]).size).toBe(3);
    const item = compared(["ACCOUNT_ADMIN"]).drift.items.find(({ code }) => code === "replace-roles");
    expect(item?.guarded).toBe(true);
  });

  test("is another one for a creation that gives a privileged role, and for one that gave none", () => {
    const itemOf = (role: string) => {
      const created = `{there: {root}, users: {bo}, teams: {Data: {members: [bo], roles: [${role}]}}, today: ${today}}`;
      const { items } = plannedDrift(partsOf(created)).drift;
      return items.find(({ code }) => code === "create-user");
    };
    const [harmless, privileged] = [itemOf("DEVELOPER"), itemOf("ACCOUNT_ADMIN")];
    expect([harmless?.guarded, privileged?.guarded]).toEqual([undefined, true]);
    expect(harmless?.accept?.code).not.toBe(privileged?.accept?.code);
  });

  test("is not given to notices, nor to a call of roster whose outcome is unknown", () => {
    const { items } = compared(carried).drift;
    expect(items.filter(({ accept }) => accept === undefined).map(({ code }) => code)).toEqual(["unmanaged"]);
    const state = aState({ open: [openIntent("other", "a", creationIntent("bo"))] });
    const { findings } = planned({ roster: aRoster({ users: [aUser("bo")] }), state });
    const unknown = findings.find(({ code }) => code === "unknown-outcome");
    expect([unknown?.kind, unknown?.accept]).toEqual(["task", undefined]);
  });
});

describe("an entry under accept", () => {
  const judged = (...accept: readonly AcceptEntry[]) => {
    const { drift, plan } = compared(carried, accept);
    const items = drift.items.filter(countsInExitCode).map(({ code }) => code);
    const problems = plan.findings.filter((one) => one.kind === "task" && !isAccepted(one)).map(({ code }) => code);
    return { items, problems, unused: drift.unusedAccepts.map(({ code }) => code) };
  };
  const nothing = judged();

  test("takes what it names out of the exit code, in drift and plan, until its last day", () => {
    expect(nothing).toEqual({
      items: ["unmanaged-privilege", "replace-roles", "profile-differs"],
      problems: ["profile-differs", "unmanaged-privilege"],
      unused: [],
    });
    expect(judged(entry(profile, today), entry(roles))).toEqual({
      items: ["unmanaged-privilege"],
      problems: ["unmanaged-privilege"],
      unused: [],
    });
    expect(judged(entry(profile), entry(privilege), entry(roles)).items).toEqual([]);
  });

  test("counts no more after its last day, and is shown with its reason and place", () => {
    const over = entry(profile, "2026-11-30", 7);
    expect(judged(over)).toEqual(nothing);
    const item = compared(carried, [over]).drift.items.find(({ code }) => code === "profile-differs");
    expect(item?.accepted).toEqual({ ...over, is: "over" });
  });

  test("given twice lasts as long as the longer one, in whatever order", () => {
    const [short, long] = [entry(profile, "2026-11-30"), entry(profile, "2026-12-20")];
    expect(judged(short, long)).toEqual(judged(long, short));
    expect(judged(short, long).problems).toEqual(["unmanaged-privilege"]);
  });

  test.each([
    ["another subject", profile.replace("ada", "bo")],
    ["another code", profile.replace("profile-differs", "user-missing")],
  ])("with %s fits nothing, and is told", (_, code) => {
    expect(judged(entry(code))).toEqual({ ...nothing, unused: [code] });
  });

  const statusOf = (code: string, carries: readonly string[], given: AcceptEntry) => {
    const { drift } = compared(carries, [given]);
    const item = drift.items.find((one) => one.code === code);
    return { counts: item && countsInExitCode(item), is: item?.accepted?.is, unused: drift.unusedAccepts.length };
  };

  test.each([
    ["with other digits", profile.replace(/.$/u, (digit) => (digit === "0" ? "1" : "0")), carried, "profile-differs"],
    ["for what has become privileged since", roles ?? "", ["ACCOUNT_ADMIN"], "replace-roles"],
  ])("%s is told where the right one is", (_, code, carries, about) => {
    expect(statusOf(about, carries, entry(code))).toEqual({ counts: true, is: "other-facts", unused: 0 });
  });

  test("lasts 366 days at most, and 30 where a privileged role is involved", () => {
    const is = (code: string, given: string, until: string) => statusOf(code, carried, entry(given, until)).is;
    expect([is("profile-differs", profile, "2027-12-02"), is("profile-differs", profile, "2027-12-03")]).toEqual([
      "in-force",
      "too-long",
    ]);
    const ofPrivilege = (until: string) => is("unmanaged-privilege", privilege, until);
    expect([ofPrivilege("2026-12-31"), ofPrivilege("2027-01-01")]).toEqual(["in-force", "too-long"]);
  });

  test("in force counts, also beside one that lasts too long", () => {
    const { drift } = compared(carried, [entry(privilege, "2027-01-01"), entry(privilege, "2026-12-20")]);
    expect(drift.items.find(({ code }) => code === "unmanaged-privilege")?.accepted).toMatchObject(entry(privilege));
  });
});
