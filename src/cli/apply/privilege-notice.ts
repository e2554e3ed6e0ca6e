import { allowedSubjects } from "../../model/allowance.ts";
import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { LogSession } from "../../ports/log.ts";
import { privilegeMessage } from "../../report/webhook.ts";
import { sendToWebhook, type Webhook } from "../drift/webhook.ts";
import type { Host } from "../host.ts";
import { runContextOf } from "../run-context.ts";
import type { SettingFlags } from "../settings/settings.ts";

interface PrivilegeNotice {
  readonly webhook: Webhook | undefined;
  readonly lock: Pick<LogSession, "head"> & { readonly run: string };
  readonly privileged: RoleSet;
  readonly flags: SettingFlags;
  readonly host: Host;
}

/** Tells the webhook, before the first call, that a plan gives privileged roles which a person allowed. A failure stops nothing. */
export async function notifyPrivileges(
  plan: Plan,
  { webhook, lock, privileged, flags, host }: PrivilegeNotice,
): Promise<void> {
  if (webhook === undefined || allowedSubjects(plan.allowed, "privileged-roles").size === 0) return;
  const { run } = lock;
  const about = { plan, run, actor: runContextOf(host).actor, privileged, head: lock.head() };
  const document = host.secrets.redactAll(about);
  const bodyFor = (delivery: Parameters<typeof privilegeMessage>[1]) => privilegeMessage(document, delivery);
  const { line } = await sendToWebhook(webhook, bodyFor, { flags, host, attempts: "several" });
  host.stderr.write(line);
}
