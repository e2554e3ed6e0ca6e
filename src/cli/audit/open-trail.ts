import { type VerifiedTrail, verifyTrail } from "../../codec/audit.ts";
import { type KeyedHash, reidentify } from "../../codec/pseudonymize.ts";
import { rewriteAuditRecord } from "../../codec/rewrite-addresses.ts";
import { errorFromFailure, type RosterError } from "../../library/error.ts";
import { sourceOf, type TrailAddress } from "../../library/stores/address.ts";
import { keepsTrail, noDefaultTrail, openTrailAt } from "../../library/stores/open-store.ts";
import { sha256 } from "../../library/system.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import type { AuditTrail } from "../../ports/state-store.ts";
import type { Host } from "../host.ts";
import type { Session } from "../session.ts";
import { addressHash } from "../settings/credentials.ts";
import type { Setting, Settings } from "../settings/settings.ts";
import { checkPathTrust, type GuardedFile } from "../trust/file-trust.ts";

/** The configured audit trail; `none` where a person wants none. Reads and writes nothing yet. */
export async function openAuditTrail(
  { audit, state, network }: Pick<Settings, "audit" | "state" | "network">,
  host: Host,
): Promise<Result<AuditTrail | "none", RosterError>> {
  if (audit?.value === "none") return success("none");
  const address = audit === undefined ? addressWithState(state) : trailAddress(audit);
  if (address === undefined) return problem(noDefaultTrail);
  const distrusts = async (path: string) => {
    const trusted = await checkPathTrust(path, trailFile, host);
    return trusted.ok ? undefined : trusted.error;
  };
  return openTrailAt(address, host, { network, distrusts });
}

/** Where the trail of a state is, unless a person says otherwise; undefined where such a state keeps none. */
function addressWithState(state: Setting | undefined): TrailAddress | undefined {
  if (state === undefined || !keepsTrail(state.value)) return undefined;
  return { value: state.value, source: sourceOf(state), of: "state" };
}

function trailAddress(audit: Setting): TrailAddress {
  return { value: audit.value, source: sourceOf(audit), of: "trail" };
}

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

/** With what the trail hashes addresses; undefined where they are written as they are. */
export function auditHash(host: Host): Promise<Result<KeyedHash | undefined, RosterError>> {
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
): Promise<Result<ReadTrail | "none", RosterError>> {
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
