// The reference server in a process of its own, so that its work counts for nobody else.
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { seedOf } from "./company.ts";

const [users, knobs] = process.argv.slice(2);
const server = await startReferenceServer({ port: 0, seed: seedOf(Number(users)), knobs: JSON.parse(knobs) });
process.on("disconnect", () => void server.close());
process.send({ endpoint: server.endpoint, key: server.key });
