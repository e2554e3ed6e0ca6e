import { resolve } from "node:path";
import { type VerifiedTrail, verifyTrail } from "../../codec/audit.ts";
import { type KeyedHash, reidentify } from "../../codec/pseudonymize.ts";
import { rewriteAuditRecord } from "../../codec/rewrite-addresses.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import type { AuditTrail } from "../../ports/audit-trail.ts";
import { fileAuditTrail } from "../../state/file/audit-trail.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import { passwordsIn } from "../output/secrets.ts";
import type { Session } from "../session.ts";
import { addressHash } from "../settings/credentials.ts";
import type { Setting, Settings } from "../settings/settings.ts";
import { sourceOf, type TrailAddress, type TrailOpener } from "../stores/address.ts";
import { sha256 } from "../system.ts";
import { checkPathTrust, type GuardedFile } from "../trust/file-trust.ts";

/** Every kind of audit trail, by the scheme of its address. Each is loaded only when it is named. */
const openers: Readonly<Record<string, () => Promise<TrailOpener>>> = {
  file: async () => openFile,
  postgres: async () => (await import("../stores/open-postgres.ts")).openPostgresTrail,
  postgresql: async () => (await import("../stores/open-postgres.ts")).openPostgresTrail,
  s3: async () => (await import("../stores/open-s3.ts")).openS3Trail,
};

/** The configured audit trail; `none` where a person wants none. Reads and writes nothing yet. */
export async function openAuditTrail(
  { audit, state, network }: Pick<Settings, "audit" | "state" | "network">,
  host: Host,
): Promise<Result<AuditTrail | "none", CommandError>> {
  if (audit?.value === "none") return success("none");
  const address = audit === undefined ? addressWithState(state) : trailAddress(audit);
  if (address === undefined) return problem(noDefaultTrail);
  for (const password of passwordsIn(address.value)) host.secrets.keep(password);
  const load = openerOf(address.value);
  return load === undefined ? problem(unknownPlace) : (await load())(address, host, network);
}

/** Where the trail of a state is, unless a person says otherwise; undefined where such a state keeps none. */
function addressWithState(state: Setting | undefined): TrailAddress | undefined {
  if (state === undefined || openerOf(state.value) === undefined) return undefined;
  return { value: state.value, source: sourceOf(state), of: "state" };
}

function trailAddress(audit: Setting): TrailAddress {
  return { value: audit.value, source: sourceOf(audit), of: "trail" };
}

function openerOf(address: string): (() => Promise<TrailOpener>) | undefined {
  const scheme = /^([a-z0-9+]+):/u.exec(address)?.[1] ?? "";
  return Object.hasOwn(openers, scheme) ? openers[scheme] : undefined;
}

const openFile: TrailOpener = async ({ value, of }, host) => {
  const written = value.slice("file:".length);
  if (written === "") return problem(unknownPlace);
  const path = of === "state" ? `${written}.audit.jsonl` : written;
  const trusted = await checkPathTrust(path, trailFile, host);
  return trusted.ok ? success(fileAuditTrail(resolve(host.cwd, path), host.localSystem?.disk)) : trusted;
};

const trailFile: GuardedFile = {
  code: "untrusted-audit",
  name: (end) => `The audit trail ${end}`,
  git: "itself",
  leadsOut: (end) => ({
    why: `is a symbolic link in the checkout that leads out of it to ${end}. A change to the checkout could choose which file is written.`,
    hint: `Name the trail where it is, as in --audit file:${end}, or remove the link.`,
  }),
  tracked: {
    why: "is kept in git: a change to the checkout could rewrite it.",
    hint: "Name a place outside the repository, such as --audit file:/var/lib/roster/audit.jsonl.",
  },
};

const unknownPlace = invalidSetting(
  "bad-audit-address",
  "The address of the audit trail has an unknown kind.",
  "Write file:PATH, such as file:.roster/audit.jsonl, postgres://USER@HOST/DATABASE or s3://BUCKET/PATH, or none.",
);

const noDefaultTrail = invalidSetting(
  "missing-audit-address",
  "An HTTP state server cannot keep an audit trail, and no other place is set.",
  "Pass --audit URL or set ROSTER_AUDIT. `--audit none` keeps no trail.",
);

/** With what the trail hashes addresses; undefined where they are written as they are. */
export function auditHash(host: Host): Promise<Result<KeyedHash | undefined, CommandError>> {
  const key = {
    name: "ROSTER_AUDIT_KEY",
    use: "roster audit 1",
    code: "short-audit-key",
    of: "the audit trail",
  } as const;
  return addressHash(key, host);
}

/** A whole trail whose records follow from one another, and from what the state remembers. */
interface ReadTrail extends VerifiedTrail {
  readonly address: string;
}

/**
 * Reads the trail of a state and verifies it: a trail that was changed is never shown as if it were whole. With the key, addresses
 * that the state records, and those that are `named`, are shown; all others stay hashed.
 */
export async function readAuditTrail(
  { settings, host }: Session,
  { audit: known, users, applied }: State,
  named: readonly string[] = [],
): Promise<Result<ReadTrail | "none", CommandError>> {
  const hash = await auditHash(host);
  if (!hash.ok) return hash;
  const trail = await openAuditTrail(settings, host);
  if (!trail.ok) return trail;
  if (trail.value === "none") return success("none");
  const { address } = trail.value;
  const lines = await trail.value.read();
  await trail.value.close();
  if (!lines.ok) return problem(errorFromFailure(lines.error));
  const verified = await verifyTrail(lines.value, known, sha256);
  if (verified.ok) {
    const people = [...users.values(), ...(applied?.people.values() ?? [])].map(({ email }) => email);
    return success({ address, ...withKnownAddresses(verified.value, hash.value, [...named, ...people]) });
  }
  const { record, why } = verified.error;
  return problem(
    errorFromFailure({
      code: "audit",
      message: `the audit trail was changed: record ${record} ${why}`,
      request: address,
      hint: "keep the trail as it is, and compare it with a copy",
    }),
  );
}

function withKnownAddresses(
  { records, end }: VerifiedTrail,
  hash: KeyedHash | undefined,
  known: readonly string[],
): VerifiedTrail {
  if (hash === undefined) return { records, end };
  const anew = reidentify(hash, known);
  return { records: records.map((one) => ({ ...one, record: rewriteAuditRecord(one.record, anew) })), end };
}
