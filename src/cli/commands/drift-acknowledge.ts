import { errorFromFailure, invalidSetting, type RosterError } from "../../library/error.ts";
import { maxAcknowledgementDays, maxGuardedAcknowledgementDays } from "../../model/drift.ts";
import type { Sighting } from "../../model/event.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { daysAfter, isDate } from "../../model/roster.ts";
import { isoDate } from "../../ports/clock.ts";
import type { StateStore } from "../../ports/state-store.ts";
import { safe } from "../../report/safe.ts";
import { saysSomething } from "../../roster/decode-text.ts";
import { type NewAcknowledgement, readAcknowledgements, writeAcknowledgement } from "../drift/acknowledgements.ts";
import type { Host } from "../host.ts";
import { finishStopped } from "../output/finish.ts";
import { printedForPeople } from "../output/output-flags.ts";
import { type CommandCall, closeAfter } from "../session.ts";
import type { Settings } from "../settings/settings.ts";

export interface AcknowledgeFlags {
  readonly state?: string;
  readonly until: string;
  readonly reason: string;
  readonly by?: string;
  readonly file?: string;
}

/** Writes into a reviewed file that something differs and may do so until a day. Reads the state, and changes nothing but that file. */
export async function driftAcknowledge(fingerprint: string, flags: AcknowledgeFlags, host: Host): Promise<number> {
  const { value: written } = await closeAfter((open) => acknowledge(fingerprint, { flags, host, open }));
  if (written.ok) {
    host.stdout.write(written.value);
    return 0;
  }
  return finishStopped("drift", written.error, host);
}

async function acknowledge(
  fingerprint: string,
  { flags, host, open }: CommandCall<AcknowledgeFlags>,
): Promise<Result<string, RosterError>> {
  const { state, file } = flags;
  const given = { ...printedForPeople, state, acknowledgements: file };
  const session = await open({ command: "drift", flags: given, host, needs: ["store"] });
  if (!session.ok) return problem(session.error.stop);
  const { settings, store } = session.value;
  const sighting = await sightingOf(fingerprint, store);
  if (!sighting.ok) return sighting;
  const acknowledgement = newAcknowledgement(fingerprint, sighting.value, flags, host);
  if (!acknowledgement.ok) return acknowledgement;
  const known = await readAcknowledgements(settings, host);
  if (!known.ok) return known;
  const written = await writeAcknowledgement(known.value, acknowledgement.value, host);
  if (!written.ok) return written;
  return success(formatAcknowledged(acknowledgement.value, written.value, settings));
}

/** What the last recorded drift has seen under the fingerprint. */
async function sightingOf(fingerprint: string, store: StateStore): Promise<Result<Sighting, RosterError>> {
  const state = await store.read();
  if (!state.ok) return problem(errorFromFailure(state.error));
  const seen = state.value.sightings?.get(fingerprint);
  return seen === undefined ? problem(notSeen(fingerprint)) : success(seen);
}

function notSeen(fingerprint: string): RosterError {
  return invalidSetting(
    "unknown-fingerprint",
    `No recorded difference has the fingerprint ${fingerprint}.`,
    "Run `roster drift` without --no-record, and use a fingerprint from its output.",
  );
}

function newAcknowledgement(
  fingerprint: string,
  { code, subject, guarded }: Sighting,
  flags: AcknowledgeFlags,
  host: Host,
): Result<NewAcknowledgement, RosterError> {
  const { until } = flags;
  const reason = flags.reason.trim();
  const [by, at] = [acknowledgedBy(flags, host), isoDate(host.clock)];
  if (!isDate(until)) return problem(badDate(until));
  if (until < at) return problem(invalidSetting("until-in-past", `--until ${until} has passed: today is ${at}.`));
  const most = guarded === true ? maxGuardedAcknowledgementDays : maxAcknowledgementDays;
  if (until > daysAfter(at, most)) return problem(tooLong(until, most, daysAfter(at, most)));
  if (!saysSomething(reason))
    return problem(
      invalidSetting("missing-reason", "--reason has no letter or digit.", "Write why the difference is accepted."),
    );
  if (by === undefined) return problem(missingAuthor);
  return success({ fingerprint, code, subject, until, reason, by, at });
}

function acknowledgedBy({ by }: AcknowledgeFlags, { env }: Host): string | undefined {
  const said = [by, env["EMAIL"], env["GIT_AUTHOR_EMAIL"], env["USER"], env["LOGNAME"], env["USERNAME"]];
  return said.map((name) => name?.trim()).find((name) => name !== undefined && name !== "");
}

const missingAuthor = invalidSetting("missing-author", "The author is unknown.", "Add --by NAME.");

function badDate(until: string): RosterError {
  return invalidSetting("bad-flag-value", `--until ${until} is not a date.`, "Write it like --until 2026-12-31.");
}

function tooLong(until: string, most: number, last: string): RosterError {
  const what = most === maxGuardedAcknowledgementDays ? "A privileged role or a guard's finding" : "A difference";
  return invalidSetting(
    "acknowledgement-too-long",
    `${what} can be acknowledged for at most ${most} days, but --until ${until} is later.`,
    `Use --until ${last} or an earlier day, or change the roster.`,
  );
}

function formatAcknowledged(
  said: NewAcknowledgement,
  how: "added" | "renewed",
  { acknowledgements }: Settings,
): string {
  const { value: file, from } = acknowledgements;
  const what = `${said.code} of ${said.subject}, until ${said.until}`;
  const first = how === "added" ? `Acknowledged in ${file}: ${what}.` : `Renewed in ${file}: ${what}.`;
  const named = `\`roster drift\` reads it with --acknowledgements ${file}, or where the settings name it as \`acknowledgements:\`.`;
  return [first, ...(from === "flag" ? [named] : [])].map((line) => `${safe(line)}\n`).join("");
}
