import type { AnswerShape } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import { tryReads } from "../observe/try-reads.ts";
import type { Examination, OtherAddress } from "../report/doctor/examination.ts";
import { otherEndpoints } from "../service/requests.ts";
import type { Service } from "./connect.ts";
import { abortedBefore, withoutSecrets } from "./error.ts";
import { checkOptions, is, type OptionChecks } from "./options.ts";

export interface ExamineOptions {
  readonly service: Service;
  /** Identifiers of accounts: the details of the first three are read. Absent or empty: those that the key may see. */
  readonly accounts?: readonly string[] | undefined;
  /** Ends the reads. */
  readonly signal?: AbortSignal | undefined;
}

const examineChecks: OptionChecks<ExamineOptions> = {
  service: is.required(is.givenBy("connect", "connection")),
  accounts: is.texts,
  signal: is.signal,
};

/**
 * Asks a service what it shows to this key. Only reads; needs no roster and no log. A read that fails is a part of the result.
 * Throws where the signal is aborted.
 */
export async function examine(options: ExamineOptions): Promise<Examination> {
  checkOptions("examine", examineChecks, options);
  const { service, accounts = [], signal } = options;
  return withoutSecrets(service.secrets, async () => {
    const examination = await examineService(service, accounts, signal);
    if (signal?.aborted === true) throw abortedBefore();
    return service.secrets.redactAll(examination);
  });
}

/** The same for the command, which shows what was read by then also where it was interrupted. */
export async function examineService(
  service: Service,
  accounts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Examination> {
  const { address, endpoint } = service;
  const answers: AnswerShape[] = [];
  const connection = service.at(endpoint, (answer) => void answers.push(answer));
  try {
    const roles = await connection.listRoles(signal);
    const failed = roles.ok ? undefined : roles.error.code;
    const isInDoubt = ["not-found", "misunderstood", "redirected", "refused"].some((code) => code === failed);
    const otherAddresses = isInDoubt ? await tryOthers(service, signal) : [];
    // A key that may not read the roles may read others; a shape that is not known may be that of the roles alone.
    const isAnswered =
      roles.ok ||
      failed === "forbidden" ||
      (failed === "misunderstood" && !otherAddresses.some(({ reading }) => reading.ok));
    const known = { address, roles, otherAddresses, answers, details: [] };
    const prefix = definedFields({ prefix: connection.keyPrefix });
    if (!isAnswered) return { ...known, key: prefix };
    const { owner, ...people } = await tryReads(connection, accounts, signal);
    return { ...known, ...people, key: { ...prefix, ...definedFields({ owner }) } };
  } finally {
    await connection.close();
  }
}

async function tryOthers(service: Service, signal: AbortSignal | undefined): Promise<readonly OtherAddress[]> {
  const tried: OtherAddress[] = [];
  for (const endpoint of otherEndpoints(service.endpoint)) {
    const other = service.at(new URL(endpoint));
    tried.push({ address: other.address, endpoint, reading: await other.listRoles(signal) });
    await other.close();
  }
  return tried;
}
