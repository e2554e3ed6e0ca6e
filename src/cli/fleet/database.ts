import { makeTables, type Sql } from "../../fleet/queue-tables.ts";
import { invalidSetting } from "../../library/error.ts";
import type { Host } from "../host.ts";
import type { Command } from "../run-command.ts";
import { variable } from "../settings/environment.ts";
import type { FleetFlags } from "./read-fleet.ts";

export async function queueDatabase({ queue }: FleetFlags, host: Host) {
  const address = queue ?? variable(host, "ROSTER_QUEUE");
  const hint = "Pass --queue postgres://USER@HOST/DATABASE or set ROSTER_QUEUE.";
  if (address === undefined) throw invalidSetting("missing-setting", "No queue is set.", hint);
  const { openQueueDatabase } = await import("../../library/stores/open-postgres.ts");
  return openQueueDatabase(address, host);
}

export async function openTables({ host, closing }: Command, flags: FleetFlags): Promise<Sql> {
  const { connect, failed } = await queueDatabase(flags, host);
  const rethrow = (error: unknown) => Promise.reject(failed(error));
  const database = closing(await connect().catch(rethrow));
  const sql: Sql = async (statement, values) => (await database.run("used", statement, values).catch(rethrow)).rows;
  await makeTables(sql);
  return sql;
}
