import { jsonSchemas } from "../codec/json-schemas.ts";
import { planFileDocument } from "../codec/plan-file-format.ts";
import { fleetFormat } from "../fleet/fleet-file.ts";
import * as summary from "../fleet/fleet-summary.ts";
import { intent, openIntent, serverDate } from "../model/call.ts";
import { capabilities, shown, unreadField, writes } from "../model/capabilities.ts";
import * as event from "../model/event.ts";
import { basis, because, place, reason } from "../model/fact.ts";
import { diagnostic, failure, refusal } from "../model/failure.ts";
import {
  accept,
  acceptEntry,
  accepted,
  finding,
  guarded,
  openFinding,
  outsideChange,
  recordedChange,
  seenFinding,
} from "../model/finding.ts";
import { observedKey, recordedAccess, recordedKey, seenKey } from "../model/key.ts";
import * as plan from "../model/plan.ts";
import { absence, readRecord, userList } from "../model/snapshot.ts";
import { allowance, recordedRun, sequence, stateDocument } from "../model/state.ts";
import { membership, observedTeam, recordedTeam } from "../model/team.ts";
import { observedUser, recordedUser } from "../model/user.ts";
import { actor, declaredOwnership, name, ownership, people, person, profile, roles, time } from "../model/values.ts";
import { snapshotDocument } from "../observe/snapshot-file.ts";
import { seedFormat } from "../reference-server/seed.ts";
import * as json from "../report/json/document-format.ts";
import { eventLine, eventLines } from "../report/json/ndjson.ts";
import * as webhook from "../report/webhook.ts";
import { rosterFormat } from "../roster/decode.ts";
import { settingsFormat } from "./settings/setting-table.ts";

const { runEvents, logEvents, ...eventParts } = event;
const { otherParts: _parts, driftFields: _drift, ...jsonParts } = json;
const { foldedTeam: _folded, planFields: _fields, driftClasses: _classes, inSync: _inSync, ...planParts } = plan;

export const declaredSchemas = {
  // What people write has its schema in one file, wherever an editor finds it.
  ...jsonSchemas({ "roster.schema.json": rosterFormat }),
  ...jsonSchemas({ "settings.schema.json": settingsFormat }),
  ...jsonSchemas({ "fleet.schema.json": fleetFormat }),
  ...jsonSchemas({ "seed.schema.json": seedFormat }),
  ...jsonSchemas({
    "fleet-summary.schema.json": {
      title: "roster: the summary of a fleet",
      description:
        "What `roster fleet plan`, `drift` and `apply` print with `--format json`, and the summary.json of their reports. Within a major version, fields are only added. An optional field without a value is absent.",
      root: summary.fleetSummary,
      declarations: summary,
    },
  }),
  ...jsonSchemas({
    "log-event.schema.json": {
      title: "roster: an event of the log",
      description:
        "A line of the log is an event with two fields before it. `position` counts from 1. `previous` is the SHA-256 of the line before, in hexadecimal digits. In the first line it is zeros.",
      root: event.logEvent,
      declarations: { ...eventParts, ...runEvents, ...logEvents },
    },
    "state.schema.json": {
      title: "roster: the state",
      description:
        "What the events of the log add up to, as a checkpoint has it. Data that must not be lost belongs in the roster files.",
      root: stateDocument,
      declarations: {
        // An event, a state and a snapshot say other texts in place.
        name,
        time,
        roles,
        actor,
        person,
        people,
        profile,
        ownership,
        failure,
        refusal,
        serverDate,
        intent,
        openIntent,
        recordedChange,
        seenFinding,
        openFinding,
        shown,
        capabilities,
        writes,
        user: recordedUser,
        recordedTeam,
        membership,
        key: recordedKey,
        seenKey,
        allowance,
        access: recordedAccess,
        recordedRun,
        sequence,
      },
    },
    "snapshot.schema.json": {
      title: "roster: a snapshot file",
      description:
        "The file that `roster snapshot --out FILE` writes and `roster plan --from FILE` reads. It contains everything that was read from a service, and what planning needs of the state. Without `state`, there was no state. It contains no key and no secret. The version that wrote it and newer versions can read it, if it is unchanged.",
      names: "published",
      root: snapshotDocument,
      declarations: { absence, readRecord, userList, observedTeam, observedKey, observedUser, unreadField },
    },
    "plan.schema.json": {
      title: "roster: the JSON document of a command",
      description:
        "What `--format json` prints on every exit path, and what a saved plan is. Within a major version, fields are only added. Programs ignore unknown fields and refuse another major version. An optional field without a value is absent.",
      isOpen: true,
      names: "published",
      root: json.planDocument,
      declarations: {
        place,
        reason,
        because,
        basis,
        declaredOwnership,
        outsideChange,
        accept,
        guarded,
        acceptEntry,
        accepted,
        finding,
        diagnostic,
        ...planParts,
        ...jsonParts,
      },
    },
    "plan-file.schema.json": {
      title: "roster: a plan file",
      description:
        "The file that `roster plan --out FILE` writes. `roster show FILE` shows it, and `roster apply FILE` applies it once. The version that wrote it and newer versions can read it, if it is unchanged. Programs may read its plan, which has the fields of `plan.schema.json`.",
      names: "published",
      root: planFileDocument,
      declarations: {},
    },
    "events.schema.json": {
      title: "roster: a line of --format ndjson",
      description:
        "The lines that `--format ndjson` prints while the command runs. The first is `version`, the last is `summary`. A killed process prints no summary. Within a major version, lines and fields are only added. Programs ignore unknown ones and refuse another major version.",
      isOpen: true,
      names: "published",
      root: eventLine,
      declarations: eventLines,
    },
  }),
  // A receiver needs this file alone.
  ...jsonSchemas({
    "webhook.schema.json": {
      title: "roster: what `roster drift` and `roster apply` send to ROSTER_WEBHOOK",
      description:
        "The body of one delivery. Within a major version fields are added, never changed: programs ignore unknown fields and refuse another major version.",
      isOpen: true,
      names: "published",
      root: webhook.webhookMessage,
      declarations: webhook,
    },
  }),
};
