import type { Command } from "commander";
import type { Host } from "../host.ts";
import { withFormats } from "../output/output-flags.ts";
import {
  collect,
  type EndCommand,
  withEndpoint,
  withLock,
  withSettings,
  withState,
  withTui,
} from "./shared-options.ts";

/** `roster state` and its subcommands. Each is loaded only when it is the one to run. */
export function addState(program: Command, host: Host, end: EndCommand): void {
  const state = program.command("state").description("inspect and repair the state");
  // What is shown is the state itself, in which nothing happens.
  withFormats(withState(state.command("show")), "state", { except: ["ndjson"] })
    .alias("list")
    .description("show recorded users, teams, members and keys (also: state list)")
    .action(async (flags) => end(await (await import("../commands/state.ts")).stateShow(flags, host)));

  withFormats(withState(state.command("verify")), "state")
    .description("check that the stored state can be read")
    .action(async (flags) => end(await (await import("../commands/state.ts")).stateVerify(flags, host)));

  withFormats(withState(state.command("unlock")), "state")
    .alias("force-unlock")
    .description("show who holds the lock; with its ID, break it (also: force-unlock)")
    .argument("[id]", "the ID of the lock, as `roster state unlock` shows it")
    .action(async (id, flags) => end(await (await import("../commands/state.ts")).stateUnlock(id, flags, host)));

  withFormats(withLock(withState(state.command("resolve"))), "state")
    .description("list calls with an unknown outcome; with an ID, record the outcome")
    .argument("[id]", "the ID of the call, as `roster state resolve` shows it")
    .option("--done", "the call was done")
    .option("--not-done", "the call was not done: a plan may send it again")
    .option("--identifier <id>", "with --done: the service's identifier of the created user")
    .option("--team-identifier <id>", "with --done: the service's identifier of the created team")
    .option("--prefix <prefix>", "with --done: the prefix of the new key; never the whole key")
    .option("--person <email>", "only this member of the call; may be repeated", collect)
    .action(async (id, flags) => end(await (await import("../commands/state.ts")).stateResolve(id, flags, host)));

  withFormats(withLock(withState(state.command("move"))), "state")
    .description("move the state to another store")
    .argument("<to>", "the new place, such as file:/var/lib/roster/state.json; must be empty")
    .action(async (to, flags) => end(await (await import("../commands/state-move.ts")).stateMove(to, flags, host)));

  withFormats(withLock(withState(state.command("set-endpoint"))), "state")
    .description("record a new address of the same service")
    .argument("<endpoint>", "the new address, such as https://accounts.example.com")
    .action(async (endpoint, flags) =>
      end(await (await import("../commands/state-move.ts")).stateSetEndpoint(endpoint, flags, host)),
    );

  const forget = state.command("forget").argument("<email>", "the address of a person who is gone");
  withTui(withFormats(withLock(withState(withEndpoint(withSettings(forget)))), "state"))
    .description("remove the records of a person who is gone")
    .option("--auto-approve", "do not ask for approval")
    .option("--deadline <duration>", "stop after this time, such as 20m")
    .action(async (email, paths, flags) =>
      end(await (await import("../commands/state-forget.ts")).stateForget({ email, paths }, flags, host)),
    );

  withTui(withFormats(withLock(withState(withEndpoint(withSettings(state.command("rebuild"))))), "state"))
    .description("rebuild a lost state from the service")
    .option("--deadline <duration>", "stop after this time, such as 20m")
    .action(async (paths, flags) => end(await (await import("../commands/state.ts")).stateRebuild(paths, flags, host)));
}
