/** The name of the template database, which the stores of tests are copies of. */
export const TEMPLATE_DATABASE = 'commonhold_template'
