#if __has_include(<mysql.h>)
#include <mysql.h>
#else
#include <mariadb/mysql.h>
#endif
