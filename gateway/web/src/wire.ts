// Made from pkg/api/openapi.yaml by make web; not to be edited. What the service takes and sends, by the names of its interface.

/** a JSON-RPC 2.0 message, as the agent-to-agent protocol defines it */
export type A2AMessage = {
  jsonrpc: "2.0";
  method?: string;
};

export type Actor = {
  id: string;
  kind: "user" | "agent" | "oauth" | "service";
  /** for an agent the user it acts for */
  userId: string;
};

export type Agent = {
  agent_card_url: string;
  agent_id: string;
  /** when a health check found another card than the one registered; the registered one stays in force */
  card_changed_at: string | null;
  /** whether the card's signatures were valid at registration, by the keys that the operator has configured */
  card_signature: "none" | "valid" | "invalid" | "unknown_key";
  connected_at: Instant;
  description: string;
  last_used_at: string | null;
  name: string;
  /** access_ended means that the firm has ended the user's access and the agent's key no longer works. The agent stays connected until its user disconnects it */
  status: "active" | "access_ended";
  url: string;
};

export type AgentCard = {
  additionalInterfaces: {
    transport: string;
    url: string;
  }[];
  capabilities: {
    pushNotifications: false;
    stateTransitionHistory: false;
    streaming: true;
  };
  description: string;
  name: string;
  preferredTransport: "mcp";
  protocolVersion: string;
  securitySchemes: {
    oauth2: {
      description: string;
      flows: OAuthFlows;
      /** for readers of A2A 1.0 */
      oauth2SecurityScheme: {
        flows: OAuthFlows;
      };
      type: "oauth2";
    };
  };
  skills: {
    description: string;
    examples?: string[];
    id: string;
    inputModes?: string[];
    name: string;
    outputModes?: string[];
    tags: string[];
  }[];
  url: string;
  version: string;
};

export type AgentTask = {
  containerId: string;
  containerType: ContainerType;
  fileIds?: Id[];
  options?: {
    /** en, de, fr or es, with or without a region; any other is refused. Answers are in English; with de, fr or es, or a question in one of them, an answer says first what it cannot do in it */
    language?: string;
    maxSeconds?: number;
    mode?: "auto" | "deterministic" | "model";
  };
  prompt: string;
  requestType: RequestType;
  seedPhase: {
    branchId?: Id;
    parentPhaseId?: Id;
    phaseId: string;
  };
  sessionId: string;
};

export type AiPolicy = "no_model" | "local_model_only" | "model_allowed";

export type AmountInControversy = {
  amount: string;
  basis: "stated" | "estimated" | "extracted";
  currency: string;
  source?: SourceRef;
};

/** an application that the user lets work in their name */
export type AppGrant = {
  /** an address that describes the application, or an id that it got by registering itself */
  clientId: string;
  /** as the application calls itself */
  clientName: string;
  createdAt: Instant;
  expiresAt: Instant;
  grantId: Id;
  lastUsedAt: Instant;
  /** where the sign-in led back to */
  redirectHost: string;
  scopes: ("cases:read" | "cases:write" | "agent:run")[];
  /** a document at its own address describes the application; otherwise it registered itself */
  verified: boolean;
};

export type AppGrantList = {
  items: AppGrant[];
  limit: number;
  nextCursor: string | null;
};

export type ApplicationTokens = {
  access_token: string;
  expires_in: number;
  refresh_token?: string;
  scope: string;
  token_type: "Bearer";
};

/** an event of a chain: hash covers the event and prevHash */
export type AuditEvent = {
  action: string;
  actor: {
    id: string;
    kind: string;
    /** whom an agent or an application acted for */
    userId?: string;
  };
  at: Instant;
  contentSha256?: string;
  hash: string;
  outcome: string;
  prevHash: string;
  requestId?: string;
  resource: {
    id: string;
    type: string;
  };
  seq: number;
};

export type AuditList = {
  items: AuditEvent[];
  limit: number;
  nextCursor: string | null;
  total?: number;
  totalCapped?: boolean;
};

export type Authority = {
  kind: "case" | "statute" | "regulation" | "rule";
  text: string;
  verification: "format_ok" | "matched_in_files" | "listed_by_firm" | "name_differs" | "not_found" | "unchecked";
};

export type AuthorityDraft = {
  kind: "case" | "statute" | "regulation" | "rule";
  text: string;
  verification?: "format_ok" | "matched_in_files" | "listed_by_firm" | "name_differs" | "not_found" | "unchecked";
};

export type AuthorizationServer = {
  authorization_endpoint: string;
  /** present where firms admit applications through their identity provider */
  authorization_grant_profiles_supported?: "urn:ietf:params:oauth:grant-profile:id-jag"[];
  authorization_response_iss_parameter_supported: true;
  client_id_metadata_document_supported: true;
  code_challenge_methods_supported: "S256"[];
  grant_types_supported?: string[];
  issuer: string;
  jwks_uri: string;
  registration_endpoint: string;
  response_types_supported: "code"[];
  revocation_endpoint: string;
  scopes_supported?: string[];
  token_endpoint: string;
  token_endpoint_auth_methods_supported?: ("none" | "private_key_jwt")[];
  token_endpoint_auth_signing_alg_values_supported?: string[];
};

export type Availability = "open" | "limited" | "closed";

export type BadRequestError = {
  /** where a person can do it */
  deepLink?: string;
  details?: ErrorDetail[];
  error: "malformed_json" | "invalid_parameter" | "invalid_cursor" | "validation_failed" | "unknown_field" | "unknown_label" | "request_type_mismatch" | "idempotency_key_reused" | "empty_file" | "phase_not_on_timeline" | "depth_exceeded" | "merge_cycle" | "scope_not_in_case" | "licence_mismatch" | "card_url_invalid" | "card_unreachable" | "card_invalid";
  message: string;
  requestId?: string;
};

export type BearerToken = {
  bearer_token: string;
  /** Unix seconds */
  expires_at: number;
  expires_in: 3600;
};

export type Branch = {
  branchId: Id;
  containerId: Id;
  containerType: ContainerType;
  createdAt: Instant;
  createdBy: Actor;
  depth: number;
  forkPhaseId: string | null;
  headPhaseId: string | null;
  inheritedPhaseCount: number;
  lineage?: LineageStep[];
  ownPhaseCount: number;
  parentBranchId: string | null;
  purpose: "main" | "alternative" | "opposing_view" | "draft";
  runningPhaseId: string | null;
  sharedWithInviteIds: Id[];
  status: "active" | "archived";
  timelineId: Id;
  title: string;
  updatedAt: Instant;
  version: number;
};

export type BranchDraft = {
  fromPhaseId?: Id;
  parentBranchId?: Id;
  /** alternative unless given */
  purpose?: "alternative" | "opposing_view" | "draft";
  timelineId: Id;
  title?: string;
};

export type BranchPatch = {
  status?: "active" | "archived";
  title?: string;
};

export type BranchSummary = {
  branchId: Id;
  createdAt?: Instant;
  depth?: number;
  forkPhaseId: string | null;
  headPhaseId: string | null;
  inheritedPhaseCount?: number;
  ownPhaseCount: number;
  parentBranchId: string | null;
  purpose: "main" | "alternative" | "opposing_view" | "draft";
  runningPhaseId: string | null;
  status: "active" | "archived";
  title: string;
  updatedAt?: Instant;
  version?: number;
};

export type Case = {
  activeBranchId: Id;
  amountInControversy?: AmountInControversy;
  caseId: Id;
  clientPartyId?: Id;
  closeReason?: CloseReason;
  closedOn?: Date;
  complexity?: Evaluation;
  confidentiality: {
    aiPolicy: string;
    clientConsent: string;
    privilege: string;
  };
  conflict: ConflictState;
  counts: CaseCounts;
  createdAt: Instant;
  createdBy: Actor;
  deadlines?: Entry[];
  externalRef?: string;
  forum?: Forum;
  jointRepresentation: boolean;
  jurisdiction?: string;
  language?: string;
  matterKind?: string;
  nextDeadline?: NextDeadline;
  openedOn?: Date;
  parties?: Party[];
  practiceAreas: PracticeArea[];
  retention: Retention;
  side?: CaseSide;
  stage: {
    codeSet: string;
    phase: string;
    task?: string;
  };
  stakes: Stake[];
  status: CaseStatus;
  summary?: string;
  supervision: Supervision;
  tags: string[];
  timelineId: Id;
  title?: string;
  /** default, given or evaluated; empty for an admin who sees no content */
  titleBasis?: string;
  updatedAt: Instant;
  version: number;
};

export type CaseCounts = {
  /** active files but for sealed originals */
  files: number;
  invites: number;
  openDeadlines: number;
  parties: number;
  pendingReviews: number;
  phases: number;
};

export type CaseDraft = {
  amountInControversy?: AmountInControversy;
  confidentiality?: Confidentiality;
  externalRef?: string;
  forum?: Forum;
  jointRepresentation?: boolean;
  jurisdiction?: string;
  language?: string;
  matterKind?: MatterKind;
  practiceAreas?: PracticeAreaDraft[];
  retention?: RetentionDraft;
  side?: CaseSide;
  stage?: Stage;
  stakes?: Stake[];
  status?: "intake";
  summary?: string;
  supervision?: Supervision;
  tags?: string[];
  title?: string;
};

export type CaseList = {
  items: (CaseRow | CaseTombstone | Case)[];
  limit: number;
  nextCursor: string | null;
  total?: number;
  totalCapped?: boolean;
};

/** a merge patch: null clears an optional field */
export type CasePatch = {
  activeBranchId?: Id;
  amountInControversy?: {
    amount?: string;
    basis?: "stated" | "estimated" | "extracted";
    currency?: string;
    source?: SourceRefPatch | null;
  } | null;
  clientPartyId?: string | null;
  closeReason?: "settled" | "judgment" | "dismissed" | "withdrawn" | "advice_given" | "referred" | "declined" | "transaction_completed" | "other" | null;
  complexity?: {
    override?: {
      reason?: string;
      tier?: number;
    } | null;
  };
  confidentiality?: Confidentiality;
  externalRef?: string | null;
  forum?: {
    courtCode?: string | null;
    docketLabel?: string | null;
    system?: "federal" | "state" | "tribal" | "agency" | "arbitration" | "foreign" | "none";
    timeZone?: string | null;
  } | null;
  jointRepresentation?: boolean;
  jurisdiction?: string | null;
  language?: string;
  matterKind?: MatterKind;
  practiceAreas?: PracticeAreaDraft[] | null;
  retention?: RetentionDraft;
  side?: "claimant" | "respondent" | "both" | "neutral" | "non_adversarial" | null;
  stage?: {
    codeSet?: "litigation" | "counseling" | "project" | "bankruptcy" | "other";
    phase?: string;
    task?: string | null;
  };
  stakes?: Stake[] | null;
  status?: CaseStatus;
  summary?: string | null;
  supervision?: {
    licenceJurisdictions?: string[] | null;
    professionalKind?: "lawyer" | "paralegal_under_lawyer" | "notary" | "mediator" | "accredited_rep" | "other" | null;
    responsibleUserId?: string;
  };
  tags?: string[] | null;
  /** without one a case is an Untitled matter */
  title?: string | null;
};

export type CaseRow = {
  caseId: Id;
  counts: CaseCounts;
  createdAt: Instant;
  jurisdiction?: string;
  legalHold: boolean;
  matterKind?: string;
  nextDeadline?: NextDeadline;
  practiceAreas: PracticeArea[];
  responsibleUserId: string;
  score: number | null;
  side?: CaseSide;
  stage?: {
    codeSet?: string;
    phase?: string;
    task?: string;
  };
  status: CaseStatus;
  tags: string[];
  tier: number | null;
  title?: string;
  updatedAt: Instant;
  urgent: boolean;
  version: number;
};

export type CaseSide = "claimant" | "respondent" | "both" | "neutral" | "non_adversarial";

export type CaseStatus = "intake" | "open" | "on_hold" | "closed" | "archived";

export type CaseTombstone = {
  caseId: Id;
  deleted: true;
  deletedAt: Instant;
  updatedAt: Instant;
  version: number;
};

/** under A256GCM, in base64url */
export type Ciphertext = string;

/** a citation of an answer, with an id that is the same for every reader of the passage, and the time when it was read */
export type CitedSource = {
  fileId: Id;
  /** file and characters of its stored text: 01981f6a-5b7e-7c3d-9a10-4f2b8f6f1a01:134-433 */
  id: string;
  n: number;
  retrievedAt?: Instant;
  textVersion: number;
};

export type Clearance = {
  marks: ({
    end: number;
    kind: "person" | "org" | "address" | "phone" | "email" | "account" | "id_number" | "birth_date" | "docket" | "vehicle" | "property" | "url" | "label" | "language";
    /** that of the refusal */
    path: string;
    start: number;
  })[];
  sha256: Sha256;
};

export type CloseReason = "settled" | "judgment" | "dismissed" | "withdrawn" | "advice_given" | "referred" | "declined" | "transaction_completed" | "other";

export type Computation = {
  assumptions?: string[];
  count?: number;
  direction?: "forward" | "backward";
  holidayCalendar?: string;
  rolledBecause?: string;
  rolledFrom?: Date;
  ruleCitation?: string;
  ruleId?: string;
  serviceDaysAdded?: number;
  triggerOn?: Date;
  triggerSource?: SourceRef;
  unit?: "days" | "months" | "hours";
};

export type Confidentiality = {
  aiPolicy?: AiPolicy;
  clientConsent?: "not_required" | "obtained" | "refused" | "unknown";
  privilege?: Privilege;
};

export type ConflictError = {
  /** where a person can do it */
  deepLink?: string;
  details?: ErrorDetail[];
  error: "branch_busy" | "phase_conflict" | "phase_running" | "session_conflict" | "invalid_transition" | "case_closed" | "branch_archived" | "branch_limit" | "review_pending" | "already_reviewed" | "legal_hold" | "supervisor_required" | "external_ref_taken" | "file_superseded" | "label_taken" | "label_immutable" | "client_required" | "conflict_found" | "conflict_unresolved" | "already_invited" | "partner_unavailable" | "agent_connected" | "registration_busy" | "idempotency_in_progress" | "write_conflict" | "agent_ended" | "already_given" | "key_outdated" | "last_holder" | "last_owner" | "last_key_holder" | "resource_gone";
  message: string;
  requestId?: string;
};

export type ConflictState = {
  checkedAt?: Instant;
  decidedByUserId?: string;
  /** cases in which a token of this case stands on the other side */
  hitCount: number;
  /** there may be more than hitCount, since only the 1,000 newest parties on each side were compared */
  hitCountCapped?: boolean;
  /** the newest of these cases, with the roles that conflict; for user sessions of the firm with role owner or member */
  hits?: {
    caseId: Id;
    roles: PartyRole[];
  }[];
  /** of the decision; for user sessions of the firm */
  reason?: string;
  status: "not_run" | "clear" | "potential" | "waived" | "blocked";
};

/** a support or sales container */
export type Container = {
  activeBranchId: Id;
  containerId: Id;
  containerType: "support" | "sales";
  createdAt: Instant;
  handoff: {
    at?: Instant;
    reason?: string;
    requested: boolean;
  };
  priority: "low" | "normal" | "high";
  relatedCaseId?: Id;
  status: "open" | "waiting_on_user" | "resolved" | "closed";
  timelineId: Id;
  title: string;
  topic?: "account" | "agent_connection" | "files" | "runs" | "identity_refusal" | "security" | "plans" | "other";
  updatedAt: Instant;
  version: number;
};

export type ContainerType = "case" | "support" | "sales";

export type ContentChunkEvent = {
  /** at most 4 KiB */
  delta: string;
  format: "text/markdown";
  index: number;
  phaseId: Id;
  seq: number;
  ts: Instant;
  type: "content_chunk";
};

export type Date = string;

/** Deadline rules of the tenant's own. Those of jurisdiction US apply in federal courts, beside the built-in federal ones or, with the same ruleId, in their place; those of a state in its own courts, for which nothing is built in. A trigger is an event that the built-in agent recognises in files, such as service_complaint or judgment_entered; any other is asked for. The days of a state count in its courts, and in federal courts there for periods after an event. */
export type DeadlineRules = {
  holidays?: {
    days: string[];
    jurisdiction: string;
  }[];
  rules: ({
    act: string;
    citation: string;
    count: number;
    direction: "forward" | "backward";
    jurisdiction: string;
    ruleId: string;
    /** added after service by mail and the like */
    serviceDays?: number;
    trigger: string;
    unit: "days" | "months" | "hours";
  })[] | null;
  version: string;
};

export type DeadlineStatus = "proposed" | "confirmed" | "met" | "missed" | "vacated";

export type DirectResponseEvent = {
  phaseId: Id;
  response: PhaseResponse;
  responseSha256: Sha256;
  seq: number;
  /** the citations of the response, in a form that others can cite; the hash is that of the response alone */
  sources?: CitedSource[];
  ts: Instant;
  type: "direct_response";
};

export type Engine = {
  fallbackReason?: string;
  mode: "deterministic" | "model";
  model?: {
    name: string;
    provider: string;
    /** of the instructions that the model worked by */
    templateVersion?: string;
  };
  rulesVersion: string;
};

export type Entry = {
  amount?: Money;
  authority?: Authority;
  branchId?: Id;
  certainty?: "explicit" | "computed" | "inferred";
  computation?: Computation;
  createdAt: Instant;
  createdBy: Actor;
  detail?: string;
  dueAt?: Instant;
  dueOn?: Date;
  entryId: Id;
  kind: EntryKind;
  /** the latest day on any reading of the rules or the files, when it differs from dueOn, which is the safe day */
  latestOn?: Date;
  origin: EntryOrigin;
  phaseId?: Id;
  responsibleUserId?: string;
  reviewStatus: EntryReview;
  sources?: SourceRef[];
  status?: DeadlineStatus;
  timeZone?: string;
  title: string;
  updatedAt?: Instant;
  utbms?: UTBMS;
  version: number;
  when?: When;
};

export type EntryDraft = {
  amount?: Money;
  authority?: AuthorityDraft;
  certainty?: "explicit" | "computed" | "inferred";
  computation?: Computation;
  detail?: string;
  dueAt?: Instant;
  dueOn?: Date;
  /** the other kinds are the service's own */
  kind: "fact" | "filing" | "hearing" | "deadline" | "communication" | "payment" | "agreement" | "authority";
  /** the latest day on any reading of the rules or the files, when it differs from dueOn, which is the safe day */
  latestOn?: Date;
  responsibleUserId?: string;
  sources?: SourceRef[];
  /** that of the forum unless given, or UTC */
  timeZone?: string;
  title: string;
  when?: WhenDraft;
};

export type EntryKind = "fact" | "filing" | "hearing" | "deadline" | "communication" | "payment" | "agreement" | "authority" | "file_added" | "phase" | "review" | "status_change" | "invite";

export type EntryOrigin = "extracted" | "computed" | "agent" | "user" | "system";

export type EntryPatch = {
  detail?: string | null;
  /** the hour; it must lie on dueOn in timeZone */
  dueAt?: Instant | null;
  /** the day of a deadline. A new day makes the deadline stated rather than computed and clears its hour; a computed deadline also loses its latestOn and the steps in its detail, unless the change brings new ones */
  dueOn?: Date;
  latestOn?: Date | null;
  /** the day of an entry that is no deadline */
  on?: Date | null;
  responsibleUserId?: string | null;
  reviewStatus?: EntryReview;
  status?: DeadlineStatus;
  /** null for that of the forum */
  timeZone?: string | null;
  title?: string;
};

export type EntryReview = "unreviewed" | "confirmed" | "rejected";

export type ErrorDetail = {
  code?: string;
  end?: number;
  from?: string;
  inviteId?: string;
  /** what was found. `language`: three or more words in a language that the service does not know (it knows English, German, French and Spanish), reported once for a text, from the first of them to the last; other findings may lie between */
  kind?: string;
  message?: string;
  path?: string;
  runningPhaseId?: string;
  /** UTF-8 bytes of the value as sent. In a file they count in the text that is read from it, in the part that `path` names: of a CSV file a line for each row with tabs between cells, of JSON a line for each value. `subrosa guard FILE` shows line, column and words */
  start?: number;
  to?: string;
  unmet?: string[];
};

export type ErrorEvent = {
  deepLink: string | null;
  error: "internal" | "time_limit" | "model_unavailable" | "model_rate_limited" | "model_refused" | "output_blocked" | "file_unreadable" | "store_unavailable" | "cancelled" | "caller_gone" | "interrupted" | "branch_busy" | "branch_archived" | "case_closed" | "phase_conflict" | "supervisor_required" | "ai_policy_forbids" | "budget_exceeded";
  message: string;
  phaseId: Id;
  retryAfterMs: number | null;
  retryable: boolean;
  seq: number;
  ts: Instant;
  type: "error";
};

export type Evaluation = {
  breakdown: ({
    basis: "given" | "extracted" | "computed" | "model_proposed" | "unknown";
    feature: string;
    max: number;
    points: number;
    sources: SourceRef[];
    value: string;
  })[];
  confidence: "high" | "medium" | "low";
  floors: string[];
  knownWeight: number;
  missing: string[];
  override?: {
    at: Instant;
    byUserId: string;
    reason: string;
    tier: number;
  };
  questions: string[];
  range: number[];
  rubricVersion: string;
  score: number;
  suggested: {
    nextSteps: string[];
    stage?: Stage;
    title?: string;
  };
  tier: number | null;
  tierName: string;
  urgent: boolean;
};

/** the data of one event of a run, told apart by type */
export type Event = StatusEvent | GapEvent | PhaseStartEvent | ContentChunkEvent | DirectResponseEvent | PhaseEndEvent | ErrorEvent | HeartbeatEvent;

export type ExtractionStatus = "ok" | "low_quality" | "needs_ocr" | "damaged" | "encrypted" | "unsupported";

export type FeeModel = "hourly" | "fixed" | "contingent" | "pro_bono" | "subscription";

export type File = {
  agentReadable: boolean;
  caseId: Id;
  content?: FileContent;
  createdAt: Instant;
  deidCheck: {
    at: Instant;
    attestedByUserId?: string;
    detectorVersion: string;
    status: "passed" | "attested" | "refused";
  };
  description?: string;
  docType: string;
  docTypeBasis: "given" | "rule" | "unknown";
  documentOn?: Date;
  /** what the file carried that no reader sees as text, and that was not kept */
  dropped: {
    count: number;
    kind: string;
  }[];
  duplicate?: boolean;
  extraction: {
    chars: number;
    charsPerPage: number;
    language?: string;
    method: string;
    pages: number;
    /** why the status is not `ok`: with `low_quality` few_letters (more figures and signs than words) or part_garbled (some letters stand for no known characters), else a reason of `identity_unverifiable`; absent for files read before the service stored it */
    reason?: string;
    replacementRatio: number;
    status: ExtractionStatus;
    textSha256?: Sha256;
    textVersion: number;
  };
  fileId: Id;
  findings: {
    labels: Label[];
  };
  hits?: SourceRef[];
  /** of what was sent */
  mediaType: string;
  name: string;
  privilege: Privilege;
  producedBy?: PartyLabel;
  revision: number;
  sealedFileId?: Id;
  sha256: Sha256;
  /** of what was sent */
  sizeBytes: number;
  source: {
    origin: "upload" | "generated";
    phaseId?: Id;
  };
  status: "active" | "superseded" | "deleted";
  supersedesFileId?: Id;
  /** pages, pictures, numbers and words that the service did not read and that are neither in the text nor in the content */
  unread: {
    count: number;
    /** the first of them; each leaves a mark in the content */
    places: ({
      /** code point of the text at which it stands */
      at: number;
      count: number;
      /** absent where it is not known */
      page?: number;
      /** number: one that a program computes and the file does not hold; text: words that a style sheet adds */
      what: "number" | "page" | "picture" | "text";
    })[];
  };
  uploadedBy: Actor;
  version: number;
};

/** what `GET …/content` returns; absent while there is none */
export type FileContent = {
  /** the same as a Word file, for `form=docx` */
  docx?: {
    mediaType: string;
    sha256: Sha256;
    sizeBytes: number;
  };
  mediaType: string;
  /** what wrote the rendition, with its version; `none` where the content is what was sent */
  renderer: string;
  sha256: Sha256;
  sizeBytes: number;
};

export type FileItems = {
  items: File[];
  /** present while the service keeps originals of which it hands out only renditions; says how to get or keep them */
  notice?: string;
};

export type FileList = {
  items: File[];
  limit: number;
  nextCursor: string | null;
  total?: number;
  totalCapped?: boolean;
};

export type FileMetadata = {
  attestation?: boolean;
  description?: string;
  docType?: string;
  documentOn?: Date;
  name?: string;
  privilege?: Privilege;
  producedBy?: PartyLabel;
  sealedFileId?: Id;
  supersedesFileId?: Id;
};

export type FileText = {
  fileId: Id;
  from: number;
  pageStarts: {
    page: number;
    start: number;
  }[];
  text: string;
  textVersion: number;
  to: number;
  total: number;
};

export type ForbiddenError = {
  /** where a person can do it */
  deepLink?: string;
  details?: ErrorDetail[];
  error: "forbidden" | "scope_missing" | "identity_refused" | "identity_unverifiable" | "human_required" | "ai_policy_forbids" | "cross_site_refused" | "sign_in_refused" | "access_ended";
  message: string;
  requestId?: string;
};

export type Forum = {
  courtCode?: string;
  docketLabel?: Label;
  system: "federal" | "state" | "tribal" | "agency" | "arbitration" | "foreign" | "none";
  timeZone?: string;
};

/** 12 bytes in base64url */
export type GCMNonce = string;

/** The events from one number to another do not come. This event has no number and no id. If from is greater than the last number that you have, go on. Otherwise you have events that the run never sent: drop all that you have gathered; the stream begins again at 1. */
export type GapEvent = {
  gap: {
    from: number;
    to: number;
  };
  phaseId: Id;
  status: "processing";
  ts: Instant;
  type: "status";
};

export type HeadersError = {
  /** where a person can do it */
  deepLink?: string;
  details?: ErrorDetail[];
  error: "headers_too_large";
  message: string;
  requestId?: string;
};

export type HeartbeatEvent = {
  lastSeq: number;
  phaseId: Id;
  /** The status of the last status event. Absent while no process works on the run: it waits for its branch, or its process died and another is about to take it over. */
  status?: string;
  ts: Instant;
  type: "heartbeat";
};

export type Id = string;

export type Instant = string;

export type InternalError = {
  /** where a person can do it */
  deepLink?: string;
  details?: ErrorDetail[];
  error: "internal";
  message: string;
  requestId?: string;
};

export type Invite = {
  caseId: Id;
  conflictAttested?: boolean;
  createdAt: Instant;
  createdBy: Actor;
  decidedAt?: Instant;
  deepLink: string;
  expiresAt: Instant;
  inviteId: Id;
  message?: string;
  partnerId: Id;
  role: InviteRole;
  scope: {
    branchIds: Id[];
    fileIds: Id[];
  };
  status: InviteStatus;
  version: number;
};

export type InviteDraft = {
  acknowledgeLicence?: boolean;
  expiresInHours?: number;
  message?: string;
  role: InviteRole;
  scope?: {
    branchIds?: Id[];
    fileIds?: Id[];
  };
};

export type InviteList = {
  items: (Invite | InviteOffer)[];
  limit: number;
  nextCursor: string | null;
  total?: number;
  totalCapped?: boolean;
};

/** what the person invited sees of an invite before accepting it */
export type InviteOffer = {
  deepLink?: string;
  expiresAt: Instant;
  inviteId: Id;
  matter: Matter;
  role: InviteRole;
  status: InviteStatus;
  version?: number;
};

export type InviteRole = "co_counsel" | "referral" | "second_opinion" | "expert" | "mediator" | "translator" | "other";

export type InviteStatus = "proposed" | "pending" | "accepted" | "declined" | "expired" | "revoked" | "ended";

/** without expiresAt, or with null, the keys do not expire any more */
export type KeyExpiry = {
  expiresAt?: string | null;
};

export type Label = string;

export type LineageStep = {
  branchId: Id;
  /** where it left the step before */
  forkPhaseId: string | null;
  /** how many of its own phases are seen from the branch */
  phaseCount: number;
  title: string;
};

/** a JSON-RPC 2.0 message, as the Model Context Protocol defines it */
export type MCPMessage = {
  /** a string or an integer; null where the request could not be read */
  id?: unknown;
  jsonrpc: "2.0";
  method?: string;
};

export type MCPRefusal = MCPMessage | OAuthError;

/** what a professional learns of a case before they accept */
export type Matter = {
  jurisdiction?: string;
  matterKind?: MatterKind;
  practiceAreas: PracticeArea[];
  tier: number | null;
};

export type MatterKind = "litigation" | "arbitration" | "administrative" | "transaction" | "advisory" | "appeal" | "other";

export type Me = {
  agent: Agent | null;
  kind: "user" | "agent" | "oauth";
  limits: Record<string, number>;
  /** what the person is called, for the person alone: only in answers to a browser session */
  name?: string;
  roles: ("owner" | "member" | "admin")[];
  scopes: string[];
  tenant: string;
  user: string;
};

export type MediaError = {
  /** where a person can do it */
  deepLink?: string;
  details?: ErrorDetail[];
  error: "unsupported_media_type" | "media_type_mismatch" | "macro_refused";
  message: string;
  requestId?: string;
};

/** a user who has signed in to the organization */
export type Member = {
  endedAt: string | null;
  firstSeenAt: Instant;
  /** an agent of the member has an API key */
  hasKey: boolean;
  /** of the keys made before then */
  keyExpiresAt: string | null;
  keyLastUsedAt: string | null;
  lastSeenAt: Instant;
  /** of a suspension */
  reason?: "offboarded" | "absent";
  /** from the latest sign-in */
  roles: ("owner" | "member" | "admin")[];
  status: "active" | "suspended";
  userId: string;
};

export type MemberList = {
  items: Member[];
  limit: number;
  nextCursor: string | null;
};

export type Money = {
  amount: string;
  currency: string;
};

export type NextDeadline = {
  deadlineId: Id;
  dueOn: Date;
  status: DeadlineStatus;
  /** left out for callers who see only metadata */
  title?: string;
};

export type NotAcceptableError = {
  /** where a person can do it */
  deepLink?: string;
  details?: ErrorDetail[];
  error: "not_acceptable";
  message: string;
  requestId?: string;
};

export type NotFoundError = {
  /** where a person can do it */
  deepLink?: string;
  details?: ErrorDetail[];
  error: "not_found" | "not_installed";
  message: string;
  requestId?: string;
};

export type OAuthError = {
  /** a code of OAuth such as invalid_grant, or one of this interface such as body_too_large */
  error: string;
  error_description?: string;
  error_uri?: string;
  message?: string;
  requestId?: string;
};

export type OAuthFlows = {
  authorizationCode: {
    authorizationUrl: string;
    scopes: Record<string, string>;
    tokenUrl: string;
  };
};

export type OffboardedMember = {
  /** where that is done */
  deepLink?: string;
  endedAt: string | null;
  firstSeenAt: Instant;
  /** an agent of the member has an API key */
  hasKey: boolean;
  /** of the keys made before then */
  keyExpiresAt: string | null;
  keyLastUsedAt: string | null;
  lastSeenAt: Instant;
  /** of a suspension */
  reason?: "offboarded" | "absent";
  /** from the latest sign-in */
  roles: ("owner" | "member" | "admin")[];
  /** the member could open the identities of clients, so the firm's key should be rotated */
  rotateFirmKey: boolean;
  status: "active" | "suspended";
  userId: string;
};

export type Partner = {
  acceptsTiers: number[];
  agentCardUrl?: string;
  availability: Availability;
  capacityNote?: string;
  displayName: string;
  feeModels: FeeModel[];
  /** false for partners who take no invites now or have no account to answer them: inviting one is 409 partner_unavailable */
  invitable: boolean;
  jurisdictions: string[];
  kind: PartnerKind;
  languages: string[];
  licences: ({
    body: string;
    jurisdiction: string;
    kind: string;
    status: "active" | "inactive" | "suspended" | "unverified";
    verifiedAt?: string;
  })[];
  match?: {
    reasons: string[];
    score: number;
  };
  partnerId: Id;
  practiceAreas: PracticeArea[];
  profileUrl?: string;
  typicalResponseHours?: number;
  updatedAt: Instant;
};

export type PartnerKind = "lawyer" | "law_firm" | "notary" | "mediator" | "arbitrator" | "expert_witness" | "paralegal" | "translator" | "investigator" | "court_reporter" | "agent_service";

export type PartnerList = {
  facets: Record<string, Record<string, number>>;
  items: Partner[];
  limit: number;
  nextCursor: string | null;
  total?: number;
  totalCapped?: boolean;
};

export type Party = {
  attributes: PartyAttributes;
  caseId: Id;
  conflictTokenCount: number;
  createdAt: Instant;
  createdBy: Actor;
  /** user sessions of the tenant only */
  identityRef?: string;
  isClient: boolean;
  joinedOn?: Date;
  kind: PartyKind;
  label: PartyLabel;
  leftOn?: Date;
  mergedIntoPartyId?: Id;
  notes?: string;
  partyId: Id;
  representation: Representation;
  role: PartyRole;
  sealed?: Sealed;
  side: PartySide;
  status: PartyStatus;
  updatedAt: Instant;
  version: number;
};

export type PartyAttributes = {
  ageBand?: "minor" | "18_29" | "30_44" | "45_64" | "65_plus";
  entityType?: "corporation" | "llc" | "partnership" | "nonprofit" | "agency" | "sole_proprietor" | "other";
  languages?: string[];
  needsInterpreter?: boolean;
  residence?: string;
};

export type PartyDraft = {
  attributes?: PartyAttributes;
  caseId: Id;
  /** user sessions only */
  conflictTokens?: string[];
  /** user sessions only */
  identityRef?: string | null;
  isClient?: boolean;
  joinedOn?: Date;
  kind: PartyKind;
  label?: PartyLabel;
  leftOn?: Date;
  mergedIntoPartyId?: Id;
  notes?: string;
  representation?: Representation;
  role: PartyRole;
  /** user sessions only */
  sealed?: Sealed | null;
  side?: PartySide;
  status?: PartyStatus;
};

export type PartyKind = "individual" | "organization" | "government" | "estate" | "trust" | "class" | "minor" | "unknown";

export type PartyLabel = string;

export type PartyList = {
  items: Party[];
  limit: number;
  nextCursor: string | null;
  total?: number;
  totalCapped?: boolean;
};

export type PartyReplacement = {
  attributes?: PartyAttributes;
  caseId?: Id;
  /** user sessions only */
  conflictTokens?: string[];
  /** user sessions only */
  identityRef?: string | null;
  isClient?: boolean;
  joinedOn?: Date;
  kind: PartyKind;
  label?: PartyLabel;
  leftOn?: Date;
  mergedIntoPartyId?: Id;
  notes?: string;
  representation?: Representation;
  role: PartyRole;
  /** user sessions only */
  sealed?: Sealed | null;
  side?: PartySide;
  status?: PartyStatus;
};

export type PartyRole = "plaintiff" | "defendant" | "petitioner" | "respondent" | "third_party_plaintiff" | "third_party_defendant" | "intervenor" | "appellant" | "appellee" | "claimant" | "creditor" | "debtor" | "buyer" | "seller" | "lessor" | "lessee" | "employer" | "employee" | "witness" | "expert" | "guardian_ad_litem" | "next_friend" | "trustee" | "beneficiary" | "executor" | "heir" | "insurer" | "amicus" | "interested_party" | "other";

export type PartySide = "ours" | "adverse" | "neutral" | "unknown";

export type PartyStatus = "active" | "dismissed" | "withdrawn" | "merged";

export type Phase = {
  attempt: number;
  branchId: Id;
  containerId: Id;
  containerType: ContainerType;
  createdAt: Instant;
  createdBy: Actor;
  directedBy: {
    capacity: "supervising_professional" | "client" | "staff" | "none";
    userId: string;
  };
  endedAt?: Instant;
  engine: Engine;
  error?: {
    error: string;
    message: string;
    retryable: boolean;
  };
  hash?: Sha256;
  parentPhaseId: string | null;
  phaseId: Id;
  prevHash?: Sha256;
  prompt: string;
  requestSha256: Sha256;
  requestType: RequestType;
  response?: PhaseResponse;
  responseSha256?: Sha256;
  review: Review;
  /** Number on the branch, from 1; 0 while the phase waits for its branch, and for a phase that never ran. */
  sequence: number;
  sessionId: string;
  /** the citations of the response, in a form that others can cite */
  sources?: CitedSource[];
  startedAt?: Instant;
  status: PhaseStatus;
  stream: {
    endSeq: number;
    phaseStartSeq: number;
    responseSeq: number;
  };
  timelineId: Id;
  toolCalls?: ToolCall[];
  usage: Usage;
};

export type PhaseEndEvent = {
  headPhaseId: string;
  phaseId: Id;
  responseSha256?: Sha256;
  review: Review;
  seq: number;
  status: "completed" | "refused" | "failed" | "cancelled";
  ts: Instant;
  type: "phase_end";
  usage: Usage;
};

export type PhaseList = {
  items: (Phase | PhaseSummary)[];
  limit: number;
  nextCursor: string | null;
};

export type PhaseResponse = {
  authorities: Authority[];
  checklist?: {
    missing: string[];
    /** UTBMS phase, or transaction */
    phase: string;
    present: string[];
  };
  citations: {
    n: number;
    source: SourceRef;
  }[];
  /** deadlines that the phase proposed to the timeline */
  deadlines?: Proposal[];
  drafts?: {
    docType: string;
    fileId: Id;
    placeholders: string[];
  }[];
  /** other entries that it proposed */
  entries?: Proposal[];
  evaluation: Evaluation | null;
  humanReview: {
    deepLink?: string;
    reasons: ("states_law" | "states_strategy" | "states_deadline" | "states_tier" | "has_draft")[];
    required: boolean;
  };
  kind: "answer" | "evaluation" | "chronology" | "deadlines" | "checklist" | "draft" | "comparison" | "refusal" | "handoff" | "admin_result" | "clarification";
  limits: string[];
  questions: string[];
  refusal: null | {
    deepLink: string;
    reason: string;
  };
  suggestedNext: {
    prompt: string;
    requestType: RequestType;
  }[];
  /** Markdown, labels only */
  text: string;
};

export type PhaseStartEvent = {
  attempt: number;
  branchId: Id;
  containerId: Id;
  containerType: ContainerType;
  engine: Engine;
  parentPhaseId: string | null;
  phaseId: Id;
  requestType: RequestType;
  seq: number;
  sequence: number;
  timelineId: Id;
  ts: Instant;
  type: "phase_start";
};

export type PhaseStatus = "queued" | "running" | "completed" | "refused" | "failed" | "cancelled" | "interrupted";

export type PhaseSummary = {
  attempt?: number;
  branchId: Id;
  containerId?: Id;
  containerType?: ContainerType;
  createdAt: Instant;
  createdBy?: Actor;
  endedAt?: Instant;
  engine?: Engine;
  kind?: string;
  phaseId: Id;
  /** its first 200 code points */
  prompt?: string;
  requestType: RequestType;
  review: Review;
  sequence: number;
  startedAt?: Instant;
  status: PhaseStatus;
};

export type PracticeArea = {
  code: string;
  /** set by the server */
  label?: string;
  primary?: boolean;
  scheme: "LIST" | "SALI" | "NSMI";
};

export type PracticeAreaDraft = {
  code: string;
  primary?: boolean;
  scheme: "LIST" | "SALI" | "NSMI";
};

export type Privilege = "none" | "attorney_client" | "work_product" | "settlement" | "mediation";

export type Proposal = {
  amount?: Money;
  authority?: Authority;
  certainty?: "explicit" | "computed" | "inferred";
  computation?: Computation;
  detail?: string;
  dueAt?: Instant;
  dueOn?: Date;
  /** absent when the entry could not be put into the timeline */
  entryId?: Id;
  kind: "fact" | "filing" | "hearing" | "deadline" | "communication" | "payment" | "agreement" | "authority";
  /** the latest day on any reading of the rules or the files, when it differs from dueOn, which is the safe day */
  latestOn?: Date;
  sources?: SourceRef[];
  timeZone?: string;
  title: string;
  when?: When;
};

export type ProtectedResource = {
  authorization_servers: string[];
  bearer_methods_supported: "header"[];
  /** the MCP endpoint */
  resource: string;
  resource_name?: string;
  scopes_supported: string[];
};

/** an uncompressed public key of P-256, 65 bytes in base64url */
export type PublicKey = string;

export type RateError = {
  /** where a person can do it */
  deepLink?: string;
  details?: ErrorDetail[];
  error: "rate_limited" | "too_many_streams" | "too_many_uploads" | "too_many_downloads";
  message: string;
  requestId?: string;
};

/** The bytes of one file as the whole body; Content-Disposition names it. Under application/octet-stream the service finds the type from the bytes and the name. A declared type must be that of the bytes: text/plain, text/markdown, text/html, text/csv, application/json, message/rfc822, application/pdf, those of DOCX and ODT, image/png, image/jpeg, image/tiff or application/vnd.subrosa.sealed. */
export type RawFile = string;

export type RegisterRequest = {
  agent_card_url: string;
  registration_token: string;
};

export type RegisteredAgent = {
  agent_id: string;
  name: string;
  /** shown only this once */
  shared_api_key: string;
  status: "active";
};

export type RegisteredApplication = {
  client_id: string;
  client_id_issued_at?: number;
  client_name?: string;
  grant_types?: string[];
  redirect_uris: string[];
  response_types?: string[];
  token_endpoint_auth_method: "none";
};

export type RegistrationToken = {
  /** 600 unless the operator set another */
  expires_in_seconds: number;
  instructions: string;
  registration_token: string;
};

export type Representation = "this_firm" | "other_counsel" | "self" | "unknown";

export type RequestType = "eval_req" | "case_req" | "support_req" | "sales_req" | "admin_req";

export type Retention = {
  holdByUserId?: string;
  holdReason?: string;
  legalHold: boolean;
  policyCode: string;
  retainUntil?: Date;
};

export type RetentionDraft = {
  holdReason?: string | null;
  legalHold?: boolean;
  policyCode?: string;
};

export type Review = {
  amendedText?: string;
  at?: Instant;
  comments?: {
    at: Instant;
    text: string;
    userId: string;
  }[];
  note?: string;
  required: boolean;
  responseSha256?: Sha256;
  reviewerUserId?: string;
  status: ReviewStatus;
};

/** a decision, or a comment */
export type ReviewDecision = {
  amendedText?: string;
  comment?: string;
  decision?: "approved" | "amended" | "rejected";
  note?: string;
};

export type ReviewStatus = "not_required" | "pending" | "approved" | "amended" | "rejected";

/** an identity encrypted in a browser under the firm key of keyVersion */
export type Sealed = {
  aad: string;
  alg: "A256GCM";
  ct: string;
  iv: string;
  keyVersion: number;
  v: 1;
};

export type SealedLabels = {
  ct: Ciphertext;
  iv: GCMNonce;
  keyVersion: number;
  updatedAt: Instant;
  version: number;
};

export type SessionStatus = {
  person: SignedIn | null;
};

export type Settings = {
  /** what becomes of a message of the agent-to-agent protocol that names no case */
  a2aDefaultContainer: "ask" | "new_case";
  allowedWords: string[];
  archiveAfterDays?: number | null;
  /** citations that answers of language models may name */
  authorities: string[];
  conflictPolicy: "flag" | "block";
  deadlineRules?: DeadlineRules | null;
  defaultAiPolicy: AiPolicy;
  openedBy: "owners" | "users" | "agents";
  /** Read-only. Files that were stored as they were sent, before only renditions were kept; absent where there are none. */
  originals?: {
    /** files whose original is kept beside the rendition */
    setAside: number;
    /** of these originals */
    sizeBytes: number;
    /** files for which no rendition could be made: their bytes stay and are served to nobody */
    unreadable: number;
    /** files whose rendition is still to be made */
    waiting: number;
  };
  /** Agrees that the originals counted in `originals.setAside` are removed, each 30 days after it was set aside and never while its case is held. Until then they stay and are served to nobody. */
  removeOriginals: boolean;
  retention: Record<string, number>;
  tierCutPoints: number[];
  version: number;
};

export type SettingsPatch = {
  /** What becomes of a message of the agent-to-agent protocol that names no case: `ask` asks for one, `new_case` opens one with the rights of the agent's user and works on the message in it. */
  a2aDefaultContainer?: "ask" | "new_case";
  /** Names, numbers and addresses that identify no client, such as the telephone number of a court's clerk. A finding passes everywhere if it equals one of them as a whole, in upper or lower case; a plus or a parenthesis before a number is ignored. Social security and tax numbers, wrong labels and refused field names never pass. A change takes effect everywhere within 5 seconds. */
  allowedWords?: string[];
  archiveAfterDays?: number | null;
  /** Citations that the firm has checked, such as `347 U.S. 483` or `42 U.S.C. § 1983`; the list replaces the one before. A language model's answer may name an authority only if a file of the case cites it or it stands here. Leave the names of parties out. */
  authorities?: string[] | null;
  conflictPolicy?: "flag" | "block";
  deadlineRules?: DeadlineRules | null;
  defaultAiPolicy?: AiPolicy;
  /** who may open cases */
  openedBy?: "owners" | "users" | "agents";
  /** agrees that originals are removed 30 days after they were set aside; `originals` says how many they are and how large */
  removeOriginals?: boolean;
  /** years by policy code */
  retention?: Record<string, number | null>;
  /** thresholds in rising order; a score below the first is tier 1, and so on. Evaluations that begin afterwards use them and name them in rubricVersion */
  tierCutPoints?: number[];
};

export type Sha256 = string;

export type SignOut = {
  /** end all sessions of the user, not this browser's alone */
  everywhere?: boolean;
};

/** a card of the agent-to-agent protocol 1.0, with its signatures */
export type SignedAgentCard = {
  capabilities: Record<string, unknown>;
  defaultInputModes: string[];
  defaultOutputModes: string[];
  description: string;
  name: string;
  signatures: Record<string, unknown>[];
  skills: Record<string, unknown>[];
  supportedInterfaces: Record<string, unknown>[];
  version: string;
};

export type SignedIn = {
  /** what the person is called */
  name?: string;
  roles: ("owner" | "member" | "admin")[];
  tenant: string;
  user: string;
};

export type SignedOut = {
  /** where the browser goes on to: out of the OpenID provider too where that is possible, else / */
  next: string;
};

/** a passage: text[charStart:charEnd] of that version of the file's text is the quote, white space folded */
export type SourceRef = {
  charEnd: number;
  /** code points */
  charStart: number;
  fileId: Id;
  page?: number;
  paragraph?: number;
  quote: string;
  textVersion: number;
};

export type SourceRefPatch = {
  charEnd?: number;
  charStart?: number;
  fileId?: Id;
  page?: number | null;
  paragraph?: number | null;
  quote?: string;
  textVersion?: number;
};

export type Stage = {
  codeSet: "litigation" | "counseling" | "project" | "bankruptcy" | "other";
  phase: string;
  task?: string;
};

export type Stake = "money" | "housing" | "employment" | "benefits" | "custody" | "civil_rights" | "immigration" | "liberty" | "safety" | "reputation";

export type StatusEvent = {
  message?: string;
  phaseId: Id;
  plan?: string[];
  progress?: {
    done: number;
    total: number;
  };
  seq: number;
  status: "processing" | "orchestrating" | "tool" | "working" | "reasoning" | "responding";
  tool?: {
    callId: string;
    durationMs?: number;
    name: string;
    outcome: "ok" | "empty" | "refused" | "failed" | null;
    summary?: string;
  };
  ts: Instant;
  type: "status";
};

export type Supervision = {
  licenceJurisdictions?: string[];
  professionalKind?: "lawyer" | "paralegal_under_lawyer" | "notary" | "mediator" | "accredited_rep" | "other";
  responsibleUserId?: string;
};

export type Timeline = {
  activeBranchId: Id;
  branches?: BranchSummary[];
  containerId: Id;
  containerType: ContainerType;
  counts: Record<string, number>;
  createdAt: Instant;
  deadlines?: Entry[];
  entries?: Entry[];
  nextCursor?: string | null;
  rootBranchId: Id;
  timelineId: Id;
  updatedAt: Instant;
  version: number;
};

export type TooLargeError = {
  /** where a person can do it */
  deepLink?: string;
  details?: ErrorDetail[];
  error: "body_too_large" | "prompt_too_long" | "file_too_large" | "too_many_pages" | "case_quota_exceeded" | "vault_too_large";
  message: string;
  requestId?: string;
};

export type ToolCall = {
  argsDigest: string;
  callId: string;
  durationMs: number;
  name: string;
  outcome: "ok" | "empty" | "refused" | "failed";
  summary: string;
};

export type UTBMS = {
  activity?: string;
  phase: string;
  task?: string;
};

export type UnauthenticatedError = {
  /** where a person can do it */
  deepLink?: string;
  details?: ErrorDetail[];
  error: "unauthenticated" | "registration_token_invalid" | "invalid_api_key";
  message: string;
  requestId?: string;
};

export type UnavailableError = {
  /** where a person can do it */
  deepLink?: string;
  details?: ErrorDetail[];
  error: "unavailable" | "model_unavailable";
  message: string;
  requestId?: string;
};

/** the card failed the check (with status unhealthy), or the service cannot tell now (without status) */
export type UnhealthyError = {
  error: "card_unreachable" | "card_invalid" | "unavailable";
  message: string;
  requestId?: string;
  status?: "unhealthy";
};

export type Usage = {
  inputTokens?: number;
  outputTokens?: number;
  passagesRead: number;
  toolCallCount: number;
  wallMs: number;
};

export type Vault = {
  blob: string;
  /** the version of the firm's present key; 0 for none */
  keyVersion: number;
  keys: WrappedKey[];
  publicKey: PublicKey;
  updatedAt: Instant;
  version: number;
};

export type VaultMemberList = {
  items: {
    keyVersions: number[];
    publicKey: PublicKey;
    userId: string;
  }[];
  limit: number;
  nextCursor: string | null;
};

export type VersionError = {
  /** where a person can do it */
  deepLink?: string;
  details?: ErrorDetail[];
  error: "version_mismatch";
  message: string;
  requestId?: string;
};

export type When = {
  alternativeOn?: Date;
  ambiguous?: boolean;
  on?: Date;
  precision: "day" | "month" | "year" | "approximate";
  raw?: string;
};

export type WhenDraft = {
  alternativeOn?: Date;
  /** true exactly when on and alternativeOn give two readings */
  ambiguous?: boolean;
  on?: Date;
  precision?: "day" | "month" | "year" | "approximate";
  raw?: string;
};

export type Workspace = {
  checklist?: null | {
    missing: number;
    phase: string;
    present: number;
  };
  container: Case | Container;
  containerId: Id;
  containerType: ContainerType;
  deadlines: Entry[];
  engine: {
    mode: "deterministic" | "model";
    modelConfigured: boolean;
  };
  files: {
    items: File[];
    nextCursor: string | null;
  };
  links: {
    browser: string;
  };
  parties: Party[];
  partners: {
    inviteId: Id;
    partnerId: Id;
    status: InviteStatus;
  }[];
  pendingReviews: {
    phaseId: Id;
    reasons: string[];
  }[];
  permissions: {
    allowedRequestTypes: RequestType[];
    /** may send; an agent can at most propose */
    canInvite: boolean;
    canRunAgent: boolean;
    canUpload: boolean;
  };
  recentPhases: PhaseSummary[];
  timeline: {
    activeBranchId: Id;
    branches: BranchSummary[];
    timelineId: Id;
  };
  unavailable: string[];
};

/** a key of 32 bytes under A256GCM, 48 bytes in base64url */
export type WrappedCT = string;

/** a version of the firm's key, wrapped to a member's public key by ECDH with the ephemeral key, HKDF-SHA-256 and A256GCM */
export type WrappedKey = {
  ct: WrappedCT;
  ephemeralKey: PublicKey;
  iv: GCMNonce;
  keyVersion: number;
};
