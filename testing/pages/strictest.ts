/** The strictest options of the TypeScript compiler that affect types: programs that use our packages may set any of them. */
export const STRICTEST = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
  ...{ noPropertyAccessFromIndexSignature: true, noImplicitOverride: true, noImplicitReturns: true },
  ...{ noFallthroughCasesInSwitch: true, noUnusedLocals: true, noUnusedParameters: true },
  ...{ noUncheckedSideEffectImports: true, allowUnreachableCode: false, allowUnusedLabels: false },
  ...{ verbatimModuleSyntax: true, isolatedModules: true },
}
