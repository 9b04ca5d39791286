// The documents that are stored with a journey and its parts, each the whole JSON of the API: every field without presence
// is there, so that they are printed as they stand.

/** What a journey shows to its requester. */
export interface JourneyMetadata {
  readonly onboarding?: {
    readonly startDate?: { readonly year: number; readonly month: number; readonly day: number }
    readonly welcomeMessage: string
  }
  readonly welcomeTitle: string
  readonly welcomeBody: string
}

/** The last run of a task's workflow; `runStatus` is the whole name of the enum's value. */
export interface LatestWorkflowCall {
  readonly id: string
  readonly workflowId: string
  readonly workflowName: string
  readonly runId: string
  readonly runStatus: string
  readonly createdAt: string
  readonly statusUpdatedAt?: string
  readonly formConfirmationRequired: boolean
  readonly formConfirmationResponse: boolean
}

/** What was wrong with the input of a workflow run. */
export interface ValidationErrors {
  readonly displayMessage: string
  readonly fieldErrors: Readonly<Record<string, string>>
  readonly translations: Readonly<Record<string, string>>
}

/** What a status check said. */
export interface StatusCheckResult {
  readonly isComplete: boolean
  readonly message: string
  readonly messageTranslations: Readonly<Record<string, string>>
}
