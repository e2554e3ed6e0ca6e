import { createHash } from "node:crypto";
const root = process.argv[2]!;
const { encodeState, decodeState } = await import(`${root}/src/codec/state.ts`);
const { encodePlanFile, decodePlanFile } = await import(`${root}/src/codec/plan-file.ts`);
const { decodePlanDocument } = await import(`${root}/src/codec/plan-document.ts`);
const { jsonFormat } = await import(`${root}/src/report/json/json.ts`);
let planPart: unknown;
try { ({ planPart } = await import(`${root}/src/report/json/plan.ts`)); } catch {}
const sha = (t: string) => createHash("sha256").update(t).digest("hex");
const N = 10_000;
const at = "2026-11-20T12:00:00.000Z";
const users = new Map(), memberships = new Map(), keys = new Map(), teams = new Map();
for (let i = 0; i < N; i++) {
  const address = `p${i}@bench.example`, team = `acc-1/team ${i % 1000}`;
  users.set(address, { address, email: address, account: "acc-1", identifier: `u-${i}`, createdAt: at, key: `k${i}`, profile: { sent: { firstName: "P", lastName: "B" }, answered: { title: "" } } });
  memberships.set(`${team} ${address}`, { team, address, how: "added", at, prefix: `k${i}` });
  keys.set(`k${i}`, { prefix: `k${i}`, put: ["A", "B"], at, readAs: ["A", "B"] });
  teams.set(team, { team, name: `Team ${i % 1000}`, account: "acc-1", at });
}
const state = { lineage: "l", serial: 1, service: "s", users, teams, memberships, keys, open: [], refusals: new Map() };
const place = { file: "a.yaml", line: 3, column: 5 };
const because = [{ ...place, as: "user" }, { ...place, as: "group", name: "g" }];
const restsOn = [{ about: root.endsWith("before") ? "user x" : { kind: "user", address: "x" }, fact: { known: "observed", value: "absent", by: "search 1" } }];
const person = (i: number) => ({ address: `p${i}@b.example`, email: `p${i}@b.example`, identifier: { known: "observed", value: `u-${i}`, by: "search 1" } });
const team = { team: "acc-1/red", name: "Red", account: "acc-1", identifier: { known: "recorded", value: "t", at } };
const actions = Array.from({ length: N }, (_, i) => {
  const common = { id: `a${i}`, because, dependsOn: [], restsOn };
  if (i % 3 === 0) return { ...common, kind: "create-user", rule: "absent-user", address: `p${i}@b.example`, account: "acc-1", user: { email: `p${i}@b.example`, firstName: "P", lastName: "B" }, request: { asks: "a", facts: "b" } };
  if (i % 3 === 1) return { ...common, kind: "add-members", rule: "missing-member", team, members: [person(i), { ...person(i + 1), request: { asks: "x" } }] };
  return { ...common, kind: "replace-roles", rule: "roles-differ", key: { of: "team-key", address: `p${i}@b.example`, team, givenBy: "a0" }, owner: person(i), before: { known: "unknown", why: "w" }, roles: ["A", "B"], unlessExact: true };
});
const plan = { id: "p", service: "s", actions, findings: [], calls: { reads: 1, writes: N, atMost: N } };
const capabilities = { keysOnUsers: "shown", rolesOnKeys: "shown", teamsOnKeys: "shown", titles: "shown", totals: "shown", paging: { firstPage: "0" } };
const file = { id: "f", madeAt: at, madeBy: "1", expiresAt: at, basis: { roster: { digest: "d", files: 1, users: 1, leavers: 0, teams: 0, keys: 0 }, state: "none", records: [], readAt: at, everyone: { read: "not-read" }, capabilities, witnesses: [] }, policy: { words: [], privilegedRoles: ["A"] }, lessons: [], plan };
const format = Object.assign((t: string) => sha(t), { digest: sha, planFields: planPart });
const must = (r: any) => { if (!r.ok) throw new Error(JSON.stringify(r.error)); return r; };
const out: Record<string, () => unknown> = {
  "state encode": () => encodeState(state),
  "state decode": (t => () => must(decodeState(t, "f")))(encodeState(state)),
  "plan file encode": () => encodePlanFile(file, format),
  "plan file decode": (t => () => must(decodePlanFile(t, format)))(encodePlanFile(file, format)),
  "plan json encode": () => jsonFormat({ command: "plan", exitCode: 0, diagnostics: [], plan }),
  "plan json decode": (t => () => must(decodePlanDocument(t)))(jsonFormat({ command: "plan", exitCode: 0, diagnostics: [], plan }).stdout),
};
for (const [name, run] of Object.entries(out)) {
  const times: number[] = [];
  for (let i = 0; i < 12; i++) { const s = process.cpuUsage(); run(); const u = process.cpuUsage(s); times.push((u.user + u.system) / 1000); }
  times.sort((a, b) => a - b);
  console.log(name.padEnd(18), "min", times[0]!.toFixed(1), "median", times[6]!.toFixed(1));
}
const h = (x: unknown) => sha(typeof x === "string" ? x : (x as any).stdout).slice(0, 12);
console.log(h(encodeState(state)), h(encodePlanFile(file, format)), h(jsonFormat({ command: "plan", exitCode: 0, diagnostics: [], plan })));
