// The lightest client that writes: a few connections, no library, no reading of what an answer does not need. Sends its milliseconds.
import { once } from "node:events";
import { connect } from "node:net";

const { hostname, port } = new URL(process.env.ENDPOINT);
const writes = Number(process.env.WRITES);

async function open() {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");
  let text = "";
  let answered;
  socket.setEncoding("latin1").on("data", (chunk) => {
    text += chunk;
    const head = text.indexOf("\r\n\r\n");
    const length = /content-length: (\d+)/.exec(text)?.[1];
    if (head < 0 || text.length < head + 4 + Number(length)) return;
    const whole = text;
    text = "";
    answered(whole);
  });
  return (request) => {
    const answer = new Promise((resolve) => {
      answered = resolve;
    });
    socket.write(request);
    return answer;
  };
}

function request(method, path, value) {
  const body = JSON.stringify(value);
  const headers = `host: ${hostname}:${port}\r\nauthorization: ApiKey ${process.env.KEY}\r\ncontent-type: application/json`;
  return `${method} /api/accounting${path} HTTP/1.1\r\n${headers}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

function found(answer, field) {
  const value = new RegExp(`"${field}":"([^"]+)"`).exec(answer)?.[1];
  if (value === undefined) throw new Error(answer);
  return value;
}

const ends = await Promise.all(Array.from({ length: 20 }, open));
const create = (email, team) =>
  request("POST", "/accounts/acc-1/users", { email, firstName: "Pat", lastName: "Bench", ...team });
await ends[0](create("firstMember@bench.example", { team: { name: "Bench", accessKeyRoles: ["TEAM_ROLE"] } }));
const roles = [{ identifier: "DEVELOPER" }, { identifier: "TEAM_ROLE" }];
const began = performance.now();
let next = 0;
// Of three writes one creates a user, one adds them to the team, and one replaces the roles of their own key.
await Promise.all(
  ends.map(async (send) => {
    while (next < writes) {
      const email = `p${next}@bench.example`;
      next += 3;
      const created = await send(create(email));
      found(
        await send(request("POST", "/teams/t-1/members", [{ identifier: found(created, "identifier") }])),
        "prefix",
      );
      found(await send(request("PUT", `/access-keys/${found(created, "prefix")}/roles`, roles)), "identifier");
    }
  }),
);
process.send(performance.now() - began);
process.exit();
