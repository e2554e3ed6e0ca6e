// The floor of an apply: sends the writes of a new company with undici, ten at once, and nothing else.
import { Pool } from "undici";

const teams = Number(process.env.TEAMS);
const size = 10;
const pool = new Pool(process.env.ENDPOINT, { connections: 10 });
const headers = {
  authorization: `ApiKey ${process.env.KEY}`,
  accept: "application/json",
  "content-type": "application/json",
};

async function send(method, path, value) {
  const { statusCode, body } = await pool.request({ method, path, headers, body: JSON.stringify(value) });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
  return JSON.parse(text);
}

async function foundTeam(team) {
  const users = Array.from({ length: size }, (_, index) => `p${team * size + index}@bench.example`);
  const create = (email, extra) =>
    send("POST", "/api/accounting/accounts/acc-1/users", { email, firstName: "Pat", lastName: "Bench", ...extra });
  const firstMember = await create(users[0], {
    team: { name: `Team ${team}`, accessKeyRoles: ["DEVELOPER", "TEAM_ROLE"] },
  });
  const others = await Promise.all(users.slice(1).map((email) => create(email, {})));
  const added = await send(
    "POST",
    `/api/accounting/teams/${firstMember.team.identifier}/members`,
    others.map(({ identifier }) => ({ identifier })),
  );
  const roles = [{ identifier: "DEVELOPER" }, { identifier: "TEAM_ROLE" }];
  await Promise.all(
    added.map(({ accessKey }) => send("PUT", `/api/accounting/access-keys/${accessKey.prefix}/roles`, roles)),
  );
}

let next = 0;
await Promise.all(
  Array.from({ length: 2 }, async () => {
    while (next < teams) await foundTeam(next++);
  }),
);
await pool.close();
