import { expect, onTestFinished, test } from "vitest";
import { insideScene } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { scriptedServer } from "../support/scripted-server.ts";

const roster = (note: string) => `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace, owner: hr, ref: HR-7 }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
teams:
  - name: Red
    owner: red-team
    labels: { tier: gold }
    admin: ada@acme.example
    roles: [DEVELOPER]
    members:
      - { user: ada@acme.example, ref: JIRA-12, note: ${note} }
  - name: Blue
    owner: blue-team
    admin: bo@acme.example
    roles: [DEVELOPER]
    members: [bo@acme.example]
`;

interface PlanDocument {
  readonly plan_id: string;
  readonly actions: readonly { readonly id: string; readonly ownership?: object }[];
}

interface Message {
  readonly owner?: string;
  readonly items: readonly { readonly subject: string; readonly ownership?: object }[];
}

test("an owner, a ref and labels go from the roster into the plan, the audit trail, the drift's webhooks and the work left", async () => {
  const scene = await insideScene();
  const { server, cwd } = scene;
  await writeRoster(cwd, { "roster.yaml": roster("on call") });
  const plan = async () => JSON.parse((await scene.run(["plan", "--format", "json"])).stdout) as PlanDocument;

  const ofAda = { owner: "red-team", ref: "JIRA-12", note: "on call", labels: { tier: "gold" } };
  const first = await plan();
  expect(first.actions.map(({ id, ownership }) => [id, ownership])).toEqual([
    ["create-user:ada@acme.example", ofAda],
    ["create-user:bo@acme.example", { owner: "blue-team" }],
    ["replace-roles:acc-1/red:ada@acme.example", ofAda],
    ["replace-roles:acc-1/blue:bo@acme.example", { owner: "blue-team" }],
  ]);

  // A saved plan is what was approved: another note does not make it stale.
  expect((await scene.run(["plan", "--out", "plan.json"])).code).toBe(0);
  await writeRoster(cwd, { "roster.yaml": roster("on call at night") });
  expect((await plan()).plan_id).toBe(first.plan_id);
  expect((await scene.run(["apply", "plan.json"])).code).toBe(0);
  const held = JSON.stringify(server.world.users);
  expect(held).toContain("ada@acme.example");
  expect(held).not.toMatch(/red-team|JIRA-12|HR-7|on call|gold/u);

  const { stdout: csv } = await scene.run(["audit", "export", "--format", "csv"]);
  const ends = csv
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(",").slice(-5, -1).join(","));
  expect([...new Set(ends)].sort()).toEqual([
    "blue-team,,,",
    "owner,ref,note,labels",
    "red-team,JIRA-12,on call,tier=gold",
  ]);

  server.world.addUser({ email: "mal@acme.example", firstName: "Mal", lastName: "Ory" });
  for (const team of ["Red", "Blue"]) server.world.addMember(team, "mal@acme.example");
  const hook = await scriptedServer([{ status: 204, text: "" }]);
  onTestFinished(() => hook.close());
  const at = (path: string) => new URL(path, hook.endpoint).href;
  const drift = await scene.run([
    ...["drift", "--webhook", at("/default")],
    ...["--webhook-route", `red-team=${at("/red")}`, "--webhook-route", `blue-team=${at("/blue")}`],
  ]);
  expect(drift.code).toBe(9);
  const told = hook.seen.map(({ url, body }) => {
    const { owner, items } = body as Message;
    return [url, owner, ...items.map(({ subject, ownership }) => [subject, ownership])];
  });
  expect(told.sort()).toEqual([
    ["/blue", "blue-team", ["member mal@acme.example of team acc-1/blue", { owner: "blue-team" }]],
    [
      "/red",
      "red-team",
      ["member mal@acme.example of team acc-1/red", { owner: "red-team", labels: { tier: "gold" } }],
    ],
  ]);

  const { drift: known } = JSON.parse((await scene.run(["drift", "--format", "json"])).stdout) as {
    readonly drift: { readonly todo: { readonly items: readonly object[] } };
  };
  expect(known.todo.items).toMatchObject([{ owner: "red-team" }, { owner: "blue-team" }]);
  const gold = await scene.run(["drift", "--include", "label:tier=gold", "--format", "json"]);
  const { drift: selected } = JSON.parse(gold.stdout) as { drift: { items: readonly { subject: string }[] } };
  expect(selected.items.map(({ subject }) => subject).filter((subject) => subject.includes("of team"))).toEqual([
    "member mal@acme.example of team acc-1/red",
  ]);
});
