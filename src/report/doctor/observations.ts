import type { AnswerShape, UnreadField } from "../../model/capabilities.ts";
import type { Capabilities, Failure, WriteBehaviour } from "../../model/recorded.ts";
import type { Result } from "../../model/result.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { ObservedAccount, ObservedRole, UserListStatus } from "../../model/snapshot.ts";
import type { DoctorReport } from "../json/document-format.ts";

/** What was not asked is absent. */
export interface DoctorObservations {
  readonly settings: readonly SettingReport[];
  /** Where calls go: the configured endpoint without a trailing slash and without `/api`. */
  readonly address: string;
  /** `proxy`: without credentials; absent where the service is reached directly. */
  readonly way?: { readonly proxy?: string; readonly authorities?: string };
  /** Such as `v20.20.0`. */
  readonly node: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly roles: Result<readonly ObservedRole[], Failure>;
  /** Other addresses that were tried, where the configured one does not answer. */
  readonly otherAddresses: readonly OtherAddress[];
  readonly accounts?: Result<readonly ObservedAccount[], Failure>;
  readonly details: readonly { readonly account: string; readonly reading: Result<ObservedAccount, Failure> }[];
  readonly list?: Result<
    { readonly users: number; readonly requests: number; readonly everyone: UserListStatus },
    Failure
  >;
  readonly search?: { readonly email: string; readonly reading: Result<SearchCheck, Failure> };
  /** Absent where no user was shown. */
  readonly capabilities?: Capabilities;
  /** Fields of users and keys that are not read, and look as if they should be. */
  readonly unread?: readonly UnreadField[];
  readonly answers: readonly AnswerShape[];
  /** `from`: such as `ROSTER_API_KEY`; `prefix`: its public part, where it has one; `shown`: absent where no answer shows it. */
  readonly key: {
    readonly from: string;
    readonly prefix?: string;
    readonly shown?: { readonly email: string; readonly roles?: RoleSet };
    readonly privilegedRoles: RoleSet;
  };
  /** By which variable the job is known to be a pull request's, such as `GITHUB_EVENT_NAME=pull_request`. */
  readonly pullRequest?: string;
  /** What the state remembers of writes; absent where no state of this service could be read. `set`: a consistency window in milliseconds. */
  readonly writes?: { readonly learned?: WriteBehaviour; readonly set?: number };
}

export interface OtherAddress {
  readonly address: string;
  /** What to configure so that calls go there. */
  readonly endpoint: string;
  readonly reading: Result<unknown, Failure>;
}

export type SearchCheck = "found" | "found-among-others" | "not-found";

export type SettingReport = DoctorReport["settings"][number];
export type DoctorCheck = DoctorReport["checks"][number];
