import type { Command } from "commander";
import type { Host } from "../host.ts";
import { withFormats } from "../output/output-options.ts";
import { collect, withEndpoint, withLock, withPlain, withSettings, withState } from "./shared-options.ts";

type End = (code: number) => void;

/** The subcommands of `roster state`. Each is loaded only when it is the one to run. */
export function addStateCommands(state: Command, host: Host, end: End): void {
  // What is shown is the state itself, in which nothing happens.
  withFormats(withState(state.command("show")), "state", { except: ["ndjson"] })
    .description("show the people, teams, memberships and key prefixes that the state records")
    .action(async (flags) => end(await (await import("../commands/state-show.ts")).stateShow(flags, host)));

  withFormats(withState(state.command("verify")), "state")
    .description("read everything that the state store keeps, and say what it is; changes nothing")
    .action(async (flags) => end(await (await import("../commands/state-verify.ts")).stateVerify(flags, host)));

  withFormats(withState(state.command("unlock")), "state")
    .description("break the lock of a run that has ended without giving it back; without an ID, say who holds it")
    .argument("[id]", "the ID of the lock, as `roster state unlock` shows it")
    .action(async (id, flags) => end(await (await import("../commands/state-unlock.ts")).stateUnlock(id, flags, host)));

  withFormats(withLock(withState(state.command("resolve"))), "state")
    .description("say what became of a call that reading cannot tell; without an ID, list such calls")
    .argument("[id]", "the ID of the call, as `roster state resolve` shows it")
    .option("--done", "the call was done")
    .option("--not-done", "the call was not done: a plan may ask for it again")
    .option("--identifier <id>", "with --done: the service's identifier of the created user")
    .option("--team-identifier <id>", "with --done: the service's identifier of the founded team")
    .option("--prefix <prefix>", "with --done: the prefix of the key that came with it; never the whole key")
    .option("--person <email>", "only this person of an addition to a team; may be repeated", collect)
    .action(async (id, flags) =>
      end(await (await import("../commands/state-resolve.ts")).stateResolve(id, flags, host)),
    );

  withFormats(withLock(withState(state.command("move"))), "state")
    .description("move the state to another store; the old place then refuses every run")
    .argument("<to>", "where it is to live, such as file:/var/lib/roster/state.json; a place that holds nothing")
    .action(async (to, flags) => end(await (await import("../commands/state-move.ts")).stateMove(to, flags, host)));

  withFormats(withLock(withState(state.command("readdress"))), "state")
    .description("say that the service which the state is about has got another address; asks no service")
    .argument("<endpoint>", "the address that it has now, such as https://accounts.example.com")
    .action(async (endpoint, flags) =>
      end(await (await import("../commands/state-readdress.ts")).stateReaddress(endpoint, flags, host)),
    );

  withPlain(withFormats(withLock(withState(withEndpoint(withSettings(state.command("rebuild"))))), "state"))
    .description("begin a state anew where the former one was lost, from what the service shows of the roster")
    .option("--deadline <duration>", "give up after this long, such as 20m")
    .action(async (paths, flags) =>
      end(await (await import("../commands/state-rebuild.ts")).stateRebuild(paths, flags, host)),
    );
}
