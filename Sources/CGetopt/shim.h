// getopt_long(3), which Glibc's own module map leaves out.
#include <getopt.h>
