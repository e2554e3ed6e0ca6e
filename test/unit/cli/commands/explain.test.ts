import { testSessions } from "../../../support/sessions.ts";

testSessions(new URL("explain.txt", import.meta.url));
