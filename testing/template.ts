/** The name of the database that stores of tests are copied from. */
export const TEMPLATE_DATABASE = 'commonhold_template'
