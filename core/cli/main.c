#include "config.h"
#include <stdio.h>

int main(void)
{
	return puts(PACKAGE_STRING) < 0;
}
