import { expect, onTestFinished, test } from "vitest";
import { emptyDirectory } from "../support/command.ts";
import { inside } from "../support/inside.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { type SeenRequest, scriptedServer } from "../support/scripted-server.ts";

const roster = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
teams:
  - { name: Red, roles: [DEVELOPER], members: [{ user: ada@acme.example }] }
`;

const names = { ada: "Lovelace", bo: "Diaz" };

/** Two people who are there. Ada is in Red, which only fields of the service's own say. */
async function service(keyOf: (person: keyof typeof names) => object, keyList = "creds") {
  const people = (["ada", "bo"] as const).map((name) => ({
    identifier: `u-${name}`,
    email: `${name}@acme.example`,
    firstName: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    lastName: names[name],
    status: "active",
    account: "acc-1",
    [keyList]: [keyOf(name)],
  }));
  const server = await scriptedServer(({ method, url, body }: SeenRequest) => {
    if (url.includes("/roles")) return { json: [{ identifier: "DEVELOPER" }, { identifier: "TEAM_ROLE" }] };
    if (url.endsWith("/accounts")) return { json: [{ identifier: "acc-1" }] };
    if (url.includes("/accounts/")) return { json: { identifier: "acc-1", status: "active", users: people } };
    if (method === "GET") return { json: { content: /page=[2-9]/u.test(url) ? [] : people, totalElements: 2 } };
    const asked = JSON.stringify(body);
    return { json: people.filter(({ email }) => asked.includes(email)) };
  });
  onTestFinished(() => server.close());
  const cwd = emptyDirectory(onTestFinished);
  await writeRoster(cwd, { "roster.yaml": roster });
  const env = { ROSTER_ENDPOINT: server.endpoint.href, ROSTER_API_KEY: "root.secret" };
  return { cwd, run: (...args: readonly string[]) => inside(args, { cwd, env }) };
}

interface Finding {
  readonly code: string;
  readonly message: string;
  readonly suggested_yaml?: string;
}

function findingsOf(stdout: string): readonly Finding[] {
  return JSON.parse(stdout).findings;
}

const yaml = `service:
  shapes:
    users: { keys: /creds }
    key: { prefix: /pfx, roles: /perms, team: "" }
    team: { identifier: /groupId, name: /groupName }
`;

function keyOfItsOwn(person: string): object {
  const group = person === "ada" ? { groupId: "g-1", groupName: "Red" } : { groupId: null, groupName: null };
  return { pfx: `${person}Key7`, perms: ["DEVELOPER"], ...group };
}

test("fields that look like what is not shown are named, and the printed settings read them", async () => {
  const at = await service(keyOfItsOwn);
  const doctor = await at.run("doctor");
  expect(doctor.stdout.replace(/\s+/gu, " ")).toContain(
    "notice unread-fields: fields of users and keys that roster does not read: creds (access keys), pfx (key prefix), perms (roles), groupId (team) and groupName (team) " +
      "They look like facts that roster did not find. If they are, add this line to the settings file: service: { shapes: { users: { keys: /creds }, " +
      'key: { prefix: /pfx, roles: /perms, team: "" }, team: { identifier: /groupId, name: /groupName } } }',
  );
  const plan = await at.run("plan", "--format", "json");
  const told = findingsOf(plan.stdout).filter(({ suggested_yaml: lines }) => lines?.startsWith("service:"));
  expect(told).toMatchObject([
    {
      code: "unproven-absence",
      message: expect.stringContaining(
        "roster does not read these fields of users and keys: creds (access keys), pfx (key prefix), groupId (team) and groupName (team). If these fields show teams, add the printed lines to the settings file (roster.config.yaml).",
      ),
      suggested_yaml: yaml.replace(" roles: /perms,", ""),
    },
    {
      code: "unread-fields",
      message:
        "roster does not read these fields of users and keys: creds (access keys), pfx (key prefix), perms (roles), groupId (team) and groupName (team). These fields look like facts that roster did not find elsewhere. If they are such facts, add the printed lines to the settings file (roster.config.yaml), and plan again.",
      suggested_yaml: yaml,
    },
  ]);
  await writeRoster(at.cwd, { "roster.config.yaml": yaml });
  const again = await at.run("plan", "--detailed-exitcode", "--format", "json");
  expect([again.code, findingsOf(again.stdout)]).toEqual([0, []]);
});

test("the names of fields are hostile text, and their values are told nowhere", async () => {
  const at = await service((person) => ({
    prefix: `${person}Key7`,
    "perms\u001b[31m": ["VERY_PRIVATE"],
    secret: "s3cr3tS3cr3t",
  }));
  for (const command of ["plan", "doctor"]) {
    const { stdout, stderr } = await at.run(command);
    const told = stdout + stderr;
    expect(told).toContain("perms");
    for (const hidden of ["\u001b[31m", "VERY_PRIVATE", "s3cr3t"]) expect(told).not.toContain(hidden);
  }
});

test("a service that tells teams flat, under usual names, shows everything", async () => {
  const at = await service((person) => {
    const team = person === "ada" ? { teamId: "g-1", teamName: "Red" } : { teamId: null, teamName: null };
    return { prefix: `${person}Key7`, roles: ["DEVELOPER"], ...team };
  }, "accessKeys");
  const plan = await at.run("plan", "--detailed-exitcode", "--format", "json");
  expect([plan.code, findingsOf(plan.stdout)]).toEqual([0, []]);
});
