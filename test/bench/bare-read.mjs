// The floor of a plan: reads every page of the users with undici and parses it, and nothing else.
import { Pool } from "undici";

const pool = new Pool(process.env.ENDPOINT, { connections: 10 });
const headers = { authorization: `ApiKey ${process.env.KEY}`, accept: "application/json" };
let users = 0;
for (let page = 1; ; page += 1) {
  const path = `/api/accounting/users?page=${page}&per-page=100`;
  const { body } = await pool.request({ method: "GET", path, headers });
  const rows = JSON.parse(await body.text());
  if (rows.length === 0) break;
  users += rows.length;
}
await pool.close();
if (users < Number(process.env.USERS)) throw new Error(`read ${users} users`);
